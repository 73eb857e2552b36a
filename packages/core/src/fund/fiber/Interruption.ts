/**
 * How a fiber is interrupted, and where an interruption is let through.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import { identity } from "effect/Function"
import * as RuntimeFlags from "effect/RuntimeFlags"

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** What is read here of a fiber. */
type FiberView = Pick<AnyFiber, "getFiberRef">

/** What a fiber lets through. */
export type Flags = RuntimeFlags.RuntimeFlags

/** Whether flags of a fiber let an interruption through. */
export const isInterruptible: (flags: Flags) => boolean = RuntimeFlags.interruptible

/** Whether a fiber is interrupted, and these flags let the interruption through. */
export const isPending = (fiber: FiberView, flags: Flags): boolean =>
  RuntimeFlags.interruptible(flags) && !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))

/** Lets an interruption through where flags of a fiber do. */
export const restore: (flags: Flags) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = (flags) =>
  RuntimeFlags.interruptible(flags) ? Effect.interruptible : identity

/** Interrupts a fiber in this step, by another fiber or by none. */
export const send = (fiber: AnyFiber, by?: AnyFiber): void =>
  fiber.unsafeInterruptAsFork(by === undefined ? FiberId.none : by.id())
