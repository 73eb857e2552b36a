/**
 * Where a fiber holds the innermost attempt that it runs in. This is the file of Effect 4: in its context, where it ends with
 * the attempt.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ActiveAttempt } from "./ActiveAttempt.ts"
import type { Handed } from "./Child.ts"
import type { View } from "./Line.ts"

/** One for all copies of this package in a program. */
const Innermost = /*#__PURE__*/ Context.Reference<ActiveAttempt | undefined>(
  "@effect-retry/core/ActiveOperation/innermost",
  { defaultValue: () => undefined }
)

/** The attempt that a fiber holds, also one that has ended. */
export const held = (fiber: View): ActiveAttempt | undefined => Context.get(fiber.context, Innermost)

/** Makes an attempt visible to operations inside it, for an attempt that has its own fiber. */
export const handed = (active: ActiveAttempt, next: Handed | undefined): Handed => ({
  key: Innermost,
  value: active,
  next
})

/** Makes an attempt visible to operations inside it, for an attempt that runs in the operation's fiber. */
export const inside = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  active: ActiveAttempt,
  _fiber: View
): Effect.Effect<A, E, R> => Effect.provideService(self, Innermost, active)
