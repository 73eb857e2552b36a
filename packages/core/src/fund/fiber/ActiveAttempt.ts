/**
 * What is known of an attempt of a named operation while it runs.
 */
import type * as Effect from "effect/Effect"
import type * as Interruption from "./Interruption.ts"
import type { View } from "./Line.ts"

/** A named operation, and the number of its running attempt. */
export interface ActiveOperation {
  readonly name: string
  /** From 1. */
  readonly attempt: number
}

/**
 * An attempt of a named operation. It is marked when it ends, so that a fiber that outlives the attempt is not taken for a
 * part of it.
 */
export interface ActiveAttempt extends ActiveOperation {
  /** The attempt around it, if that was running when this one began. */
  readonly outer: ActiveAttempt | undefined
  /** The fiber's flags when the operation began: they say whether an interruption of the fiber ends the operation. */
  readonly runtimeFlags: Interruption.Flags
  /** The fiber that runs the operation; `undefined` once the attempt has ended. */
  fiber: View | undefined
  /** Removes the attempt from its fiber, if it is left there. */
  leave: Effect.Effect<void> | undefined
}
