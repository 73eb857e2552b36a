/**
 * The named operation inside whose attempt code runs: how nesting is noticed.
 */
import * as Context from "effect/Context"

/**
 * An operation with a name, and which of its attempts is running.
 *
 * @category models
 */
export interface ActiveOperation {
  readonly name: string
  /** From 1. */
  readonly attempt: number
}

/**
 * An attempt of a named operation. It stops running when it ends, so that a fiber that outlives the attempt is not taken
 * for a part of it.
 *
 * @category models
 */
export interface ActiveAttempt extends ActiveOperation {
  readonly isRunning: () => boolean
}

/**
 * The running attempt of the innermost named operation around this code; `undefined` where there is none.
 *
 * Operations without a name, and operations of one attempt, do not appear here.
 *
 * @category models
 */
export class CurrentOperation extends Context.Reference<CurrentOperation>()("@effect-retry/core/CurrentOperation", {
  defaultValue: (): ActiveAttempt | undefined => undefined
}) {}
