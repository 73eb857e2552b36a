/**
 * How a fiber is interrupted, and where an interruption is let through.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import { identity } from "effect/Function"
import * as RuntimeFlags from "effect/RuntimeFlags"

/** What is read here of a fiber. */
export type FiberView = Pick<Fiber.RuntimeFiber<unknown, unknown>, "getFiberRef">

/** Whether a fiber is interrupted, and these flags let the interruption through. */
export const isPending = (fiber: FiberView, runtimeFlags: RuntimeFlags.RuntimeFlags): boolean =>
  RuntimeFlags.interruptible(runtimeFlags) && !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))

/** Lets an interruption through where flags of a fiber do. */
export const restore: (
  runtimeFlags: RuntimeFlags.RuntimeFlags
) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = (runtimeFlags) =>
  RuntimeFlags.interruptible(runtimeFlags) ? Effect.interruptible : identity
