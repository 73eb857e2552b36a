/**
 * Finds the attempt of a named operation inside which code runs, so that nesting is noticed.
 *
 * While an attempt runs, its fiber holds it in a FiberRef. Forks and captured runtimes copy that value and may outlive the
 * attempt, so an attempt that has ended is skipped; so is an interrupted one, which stays in the FiberRef. Only this file
 * uses the FiberRef.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import { globalValue } from "effect/GlobalValue"
import * as Interruption from "./Interruption.ts"
import type { Handed } from "./Child.ts"
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
  /** Removes the attempt from the FiberRef, if its fiber holds it there. */
  leave: Effect.Effect<void> | undefined
}

/** One FiberRef for all copies of this package in a program. Joining a fiber changes no attempt. */
const innermost: FiberRef.FiberRef<ActiveAttempt | undefined> = /*#__PURE__*/ globalValue(
  "@effect-retry/core/ActiveOperation/innermost",
  () => FiberRef.unsafeMake<ActiveAttempt | undefined>(undefined, { join: (parent) => parent })
)

/**
 * The running attempt of the innermost named operation around a fiber's code; `undefined` if there is none.
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

/** Makes the record of an attempt that begins in `fiber`. */
export const make = (
  { attempt, name }: ActiveOperation,
  fiber: View,
  runtimeFlags: Interruption.Flags
): ActiveAttempt => ({ name, attempt, outer: current(fiber), runtimeFlags, fiber, leave: undefined })

/** Makes an attempt visible to operations inside it, for an attempt that has its own fiber. */
export const handed = (active: ActiveAttempt, next: Handed | undefined): Handed => ({
  ref: innermost,
  value: () => active,
  next
})

/**
 * Makes an attempt visible to operations inside it, for an attempt that runs in the operation's fiber.
 *
 * Caches and memoized layers pass on whatever an effect has changed in FiberRefs, so no value is left behind, not even an
 * empty one.
 */
export const inside = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  active: ActiveAttempt,
  fiber: View
): Effect.Effect<A, E, R> =>
  Effect.flatMap(fiber.getFiberRef(innermost) === undefined ? enter(active) : add(active), () => self)

/** For a fiber that holds no attempt: setting and deleting one FiberRef copies less than updating all of them. */
const enter = (active: ActiveAttempt): Effect.Effect<void> => {
  active.leave = none
  return FiberRef.set(innermost, active)
}

const none = /*#__PURE__*/ FiberRef.delete(innermost)

/** For a fiber that already holds attempts: the earlier values are restored with their whole history, which a join needs. */
const add = (active: ActiveAttempt): Effect.Effect<void> =>
  Effect.updateFiberRefs((fiberId, fiberRefs) => {
    const before = fiberRefs.locals.get(innermost)!
    active.leave = Effect.updateFiberRefs((_, { locals }) =>
      FiberRefs.unsafeMake(new Map(locals).set(innermost, before))
    )
    return FiberRefs.updateAs(fiberRefs, { fiberId, fiberRef: innermost, value: active })
  })

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
