/**
 * Where a fiber holds the innermost attempt that it runs in. This is the file for Effect 3: in a FiberRef, which only this
 * file uses.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import { globalValue } from "effect/GlobalValue"
import type { ActiveAttempt } from "./ActiveAttempt.ts"
import type { Handed } from "./Child.ts"
import type { View } from "./Line.ts"

/** One FiberRef for all copies of this package in a program. Joining a fiber changes no attempt. */
const innermost: FiberRef.FiberRef<ActiveAttempt | undefined> = /*#__PURE__*/ globalValue(
  "@effect-retry/core/ActiveOperation/innermost",
  () => FiberRef.unsafeMake<ActiveAttempt | undefined>(undefined, { join: (parent) => parent })
)

/** The attempt that a fiber holds, also one that has ended. */
export const held = (fiber: View): ActiveAttempt | undefined => fiber.getFiberRef(innermost)

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
