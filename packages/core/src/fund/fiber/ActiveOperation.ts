/**
 * Finds the attempt of a named operation inside which code runs, so that nesting is noticed.
 *
 * While an attempt runs, its fiber holds it. Forks and captured runtimes copy what a fiber holds and may outlive the attempt,
 * so an attempt that has ended is skipped; so is an interrupted one, which the fiber still holds.
 */
import type * as Effect from "effect/Effect"
import type { ActiveAttempt, ActiveOperation } from "./ActiveAttempt.ts"
import * as Innermost from "./Innermost.ts"
import * as Interruption from "./Interruption.ts"
import type { View } from "./Line.ts"

export type { ActiveAttempt, ActiveOperation } from "./ActiveAttempt.ts"
export { handed, inside } from "./Innermost.ts"

/**
 * The running attempt of the innermost named operation around a fiber's code; `undefined` if there is none.
 *
 * Operations without a name, and operations of one attempt, do not appear here.
 */
export const current = (fiber: View): ActiveAttempt | undefined => {
  let active = Innermost.held(fiber)
  while (active !== undefined && !isRunning(active)) active = active.outer
  return active
}

/** Whether the attempt still runs. If an interruption of its fiber ends the operation, the attempt ends with it. */
export const isRunning = ({ fiber, runtimeFlags }: ActiveAttempt): boolean =>
  // An interruption bypasses the loop, so the attempt is not noted as ended.
  fiber !== undefined && !Interruption.isPending(fiber, runtimeFlags)

/** Makes the record of an attempt that begins in `fiber`. */
export const make = (
  { attempt, name }: ActiveOperation,
  fiber: View,
  runtimeFlags: Interruption.Flags
): ActiveAttempt => ({ name, attempt, outer: current(fiber), runtimeFlags, fiber, leave: undefined })

/**
 * Marks an attempt as ended. Must be called in the step in which it ends; returns the effect that its fiber must then run.
 */
export const end = (active: ActiveAttempt): Effect.Effect<void> | undefined => {
  const { leave } = active
  active.fiber = undefined
  // Forks hold the attempt, so it must not hold its fiber's earlier values.
  active.leave = undefined
  return leave
}
