/**
 * The types of hedges: the record, and what people annotate with.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { NoField } from "../policy/OtherNames.ts"
import type * as PolicyRecord from "../policy/PolicyRecord.ts"
import type { Percentile } from "./Percentile.ts"

/**
 * When the next attempt starts, unless one has answered: after a duration, after a percentile of recent latencies, or after
 * the duration that a function returns for the number of that attempt, from 2. An infinite duration starts none.
 *
 * @category models
 */
export type Delay = Duration.DurationInput | Percentile | ((attempt: number) => Duration.DurationInput)

/**
 * The fields of a hedge. `E` and `A` are the error and the result of the effect, for lambdas without annotation.
 *
 * @category models
 */
export interface Fields<in E, in A> extends Pick<
  PolicyRecord.Fields<E, A>,
  "name" | "observe" | "attempt" | "result" | "deadline" | "release"
> {
  /**
   * Judges the failure of an attempt. If it is retryable, the others continue, and the next one starts at once or, with
   * a hint, when that time has passed; after a hint of more than a minute none starts. Any other verdict ends the
   * operation.
   */
  readonly classifier: PolicyRecord.Fields<E, A>["classifier"]
  /** The largest number of attempts in all, the first included: a whole number from 1. */
  readonly maxAttempts: number
  /** The largest number of attempts in flight: a whole number from 1. @default maxAttempts */
  readonly maxInFlight?: number | undefined
  /** When the next attempt starts, counted from the start of the latest one. */
  readonly delay: Delay
  /**
   * Asked for every attempt but the first, without holding up the running attempts, and told how each attempt ended.
   * Once it has refused, no further attempt starts, and the running ones continue.
   */
  readonly bucket?: PolicyRecord.Fields<E, A>["bucket"]
}

/** A hedge of any types. */
export type Any = Fields<never, never>

type Unknown<P> = P extends unknown ? (keyof P extends keyof Any ? never : Exclude<keyof P, keyof Any>) : never

/**
 * A hedge without mistakes that the types can detect.
 *
 * @category models
 */
export type Checked<P> = P &
  PolicyRecord.Commented<Any> & {
    readonly [K in Unknown<P>]: PolicyRecord.Mistake<`a hedge has ${NoField<K>}`>
  }

/** The operation to which an attempt belongs; `attempt` counts from 1. */
export interface Call {
  (attempt: number): Effect.Effect<unknown, unknown, unknown>
}
