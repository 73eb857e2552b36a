/**
 * How a fiber is interrupted, and when an interruption is let through.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import { identity } from "effect/Function"
import * as RuntimeFlags from "effect/RuntimeFlags"

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** What this file reads from a fiber. */
type FiberView = Pick<AnyFiber, "getFiberRef">

/** The runtime flags of a fiber, which say whether it is interruptible. */
export type Flags = RuntimeFlags.RuntimeFlags

/** Whether these flags let an interruption through. */
export const isInterruptible: (flags: Flags) => boolean = RuntimeFlags.interruptible

/** Whether a fiber has been interrupted and these flags let the interruption through. */
export const isPending = (fiber: FiberView, flags: Flags): boolean =>
  RuntimeFlags.interruptible(flags) && !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))

/** Makes an effect interruptible if these flags are. */
export const restore: (flags: Flags) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = (flags) =>
  RuntimeFlags.interruptible(flags) ? Effect.interruptible : identity

/** Interrupts a fiber within this step, in the name of another fiber or of none. */
export const send = (fiber: AnyFiber, by?: AnyFiber): void =>
  fiber.unsafeInterruptAsFork(by === undefined ? FiberId.none : by.id())
