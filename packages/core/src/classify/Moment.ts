/**
 * When a failure is judged, for classifiers that read dates from responses or depend on the attempt or the time.
 */
import type * as Duration from "effect/Duration"

/**
 * The moment at which a failure is judged.
 *
 * @category models
 */
export interface Moment {
  /** Wall-clock time, in milliseconds since the epoch: what dates in a response are compared with. */
  readonly nowMillis: number
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number
  /** Time since the operation began. */
  readonly elapsed: Duration.Duration
}

/**
 * Whether a classifier, or another judge, reads the moment: whether it declares a parameter for it. Time is tracked only for
 * those that do.
 */
export const readsMoment = (judge: (error: never, moment: Moment) => unknown): boolean => judge.length > 1
