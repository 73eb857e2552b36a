/**
 * How a fiber is interrupted, and where an interruption is let through.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import { identity } from "effect/Function"
import * as HashSet from "effect/HashSet"
import * as RuntimeFlags from "effect/RuntimeFlags"

/**
 * What is read here of a fiber.
 *
 * @category models
 */
export interface FiberView extends Pick<Fiber.RuntimeFiber<unknown, unknown>, "getFiberRef"> {
  id(): FiberId.FiberId
}

/**
 * Whether a fiber is interrupted from outside, so that all in it is ending. In its own name it is interrupted at the timeout
 * of an attempt, and goes on.
 *
 * @category guards
 */
export const isFromOutside = (fiber: FiberView): boolean =>
  HashSet.size(HashSet.remove(Cause.interruptors(fiber.getFiberRef(FiberRef.interruptedCause)), fiber.id())) > 0

/**
 * Whether a fiber is interrupted, in whatever name, and these flags let the interruption through.
 *
 * @category guards
 */
export const isPending = (fiber: FiberView, runtimeFlags: RuntimeFlags.RuntimeFlags): boolean =>
  RuntimeFlags.interruptible(runtimeFlags) && !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))

/**
 * Lets an interruption through where flags of a fiber do.
 *
 * @category combinators
 */
export const restore: (
  runtimeFlags: RuntimeFlags.RuntimeFlags
) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = (runtimeFlags) =>
  RuntimeFlags.interruptible(runtimeFlags) ? Effect.interruptible : identity
