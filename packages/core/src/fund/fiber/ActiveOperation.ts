/**
 * The attempt of a named operation in which code runs: how nesting is noticed.
 *
 * While an attempt runs, its fiber has it in a FiberRef. Forks and captured runtimes take along what is there at that moment,
 * and may outlive it: an attempt that has ended is skipped. So is one that was interrupted; it stays in the FiberRef. This
 * file alone knows of the FiberRef.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import { globalValue } from "effect/GlobalValue"
import * as Interruption from "./Interruption.ts"
import type { Handed } from "./Child.ts"
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
  /** Removes the attempt from the FiberRef again, if its fiber has it there. */
  leave: Effect.Effect<void> | undefined
}

/** One for all copies of this package in a program. A fiber that is joined changes no attempt. */
const innermost: FiberRef.FiberRef<ActiveAttempt | undefined> = /*#__PURE__*/ globalValue(
  "@effect-retry/core/ActiveOperation/innermost",
  () => FiberRef.unsafeMake<ActiveAttempt | undefined>(undefined, { join: (parent) => parent })
)

/**
 * The running attempt of the innermost named operation around the code of a fiber; `undefined` where there is none.
 *
 * Operations without a name, and operations of one attempt, do not appear here.
 */
export const current = (fiber: View): ActiveAttempt | undefined => {
  let active = fiber.getFiberRef(innermost)
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
): ActiveAttempt => ({ name, attempt, outer: current(fiber), runtimeFlags, fiber, leave: undefined })

/** Makes an attempt visible to operations inside it, if it has a fiber of its own. */
export const handed = (active: ActiveAttempt, next: Handed | undefined): Handed => ({
  ref: innermost,
  value: () => active,
  next
})

/**
 * Makes an attempt visible to operations inside it, if it runs in the fiber of the operation.
 *
 * Caches and memoized layers hand on whatever an effect has changed in FiberRefs, so nothing is left, not even a value for
 * none.
 */
export const inside = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  active: ActiveAttempt,
  fiber: View
): Effect.Effect<A, E, R> =>
  Effect.flatMap(fiber.getFiberRef(innermost) === undefined ? enter(active) : add(active), () => self)

/** Where the fiber has none: a FiberRef that is set and deleted is copied less often than when all are updated. */
const enter = (active: ActiveAttempt): Effect.Effect<void> => {
  active.leave = none
  return FiberRef.set(innermost, active)
}

const none = /*#__PURE__*/ FiberRef.delete(innermost)

/** Beside those that the fiber has from before, which are put back with all that they were in the fibers around: a join asks for it. */
const add = (active: ActiveAttempt): Effect.Effect<void> =>
  Effect.updateFiberRefs((fiberId, fiberRefs) => {
    const before = fiberRefs.locals.get(innermost)!
    active.leave = Effect.updateFiberRefs((_, { locals }) =>
      FiberRefs.unsafeMake(new Map(locals).set(innermost, before))
    )
    return FiberRefs.updateAs(fiberRefs, { fiberId, fiberRef: innermost, value: active })
  })

/**
 * Notes that an attempt has ended. Must be called in the step in which it ends; returns what its fiber has to do then.
 */
export const end = (active: ActiveAttempt): Effect.Effect<void> | undefined => {
  const { leave } = active
  active.fiber = undefined
  // Forks of the attempt hold it: it must not hold what its fiber had before.
  active.leave = undefined
  return leave
}
