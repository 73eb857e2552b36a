/**
 * How a fiber is interrupted, and where an interruption is let through.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Undeclared from "./Undeclared.ts"

type AnyFiber = Fiber.Fiber<unknown, unknown>

/** Whether a fiber lets an interruption through. */
export type Flags = boolean

/** Whether flags of a fiber let an interruption through. */
export const isInterruptible = (flags: Flags): boolean => flags

/** Whether a fiber is interrupted, and these flags let the interruption through. */
export const isPending = (fiber: Pick<AnyFiber, "context">, flags: Flags): boolean =>
  flags && Undeclared.isInterrupted(fiber)

/** Lets an interruption through where flags of a fiber do. */
export const restore = (flags: Flags): (<A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  flags ? Effect.interruptible : identity

/** Interrupts a fiber in this step, by another fiber or by none. */
export const send = (fiber: AnyFiber, by?: AnyFiber): void => fiber.interruptUnsafe(by?.id)
