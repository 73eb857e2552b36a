/**
 * The attempt of a named operation in which code runs: how nesting is noticed.
 *
 * While an attempt runs, its context has it. Forks and captured contexts take it along, and may outlive it: an attempt that has
 * ended is skipped, and so is one that was interrupted.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Handed } from "./Child.ts"
import * as Interruption from "./Interruption.ts"
import type { View } from "./Line.ts"

/** An operation with a name, and which of its attempts is running. */
export interface ActiveOperation {
  readonly name: string
  /** From 1. */
  readonly attempt: number
}

/**
 * An attempt of a named operation. It stops running when it ends, so that a fiber that outlives the attempt is not taken
 * for a part of it.
 */
export interface ActiveAttempt extends ActiveOperation {
  /** The attempt around it, where that ran when this one began. */
  readonly outer: ActiveAttempt | undefined
  /** Of the fiber, when the operation began: they say whether an interruption of the fiber ends the operation. */
  readonly runtimeFlags: Interruption.Flags
  /** The fiber that runs the operation; `undefined` once the attempt has ended. */
  fiber: View | undefined
}

/** One for all copies of this package in a program. */
const Innermost = /*#__PURE__*/ Context.Reference<ActiveAttempt | undefined>(
  "@effect-retry/core/ActiveOperation/innermost",
  { defaultValue: () => undefined }
)

/**
 * The running attempt of the innermost named operation around the code of a fiber; `undefined` where there is none.
 *
 * Operations without a name, and operations of one attempt, do not appear here.
 */
export const current = (fiber: View): ActiveAttempt | undefined => {
  let active = Context.get(fiber.context, Innermost)
  while (active !== undefined && !isRunning(active)) active = active.outer
  return active
}

/** Whether the attempt still runs. If an interruption of its fiber ends the operation, the attempt ends with it. */
export const isRunning = ({ fiber, runtimeFlags }: ActiveAttempt): boolean =>
  // An interruption bypasses the loop, so the attempt is not noted as ended.
  fiber !== undefined && !Interruption.isPending(fiber, runtimeFlags)

/** An attempt that begins in `fiber`. */
export const make = (
  { attempt, name }: ActiveOperation,
  fiber: View,
  runtimeFlags: Interruption.Flags
): ActiveAttempt => ({ name, attempt, outer: current(fiber), runtimeFlags, fiber })

/** Makes an attempt visible to operations inside it, if it has a fiber of its own. */
export const handed = (active: ActiveAttempt, next: Handed | undefined): Handed => ({
  key: Innermost,
  value: active,
  next
})

/** Makes an attempt visible to operations inside it, if it runs in the fiber of the operation. */
export const inside = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  active: ActiveAttempt,
  _fiber: View
): Effect.Effect<A, E, R> => Effect.provideService(self, Innermost, active)

/** Notes that an attempt has ended. Nothing is left for its fiber to do: its context goes with it. */
export const end = (active: ActiveAttempt): undefined => {
  active.fiber = undefined
}
