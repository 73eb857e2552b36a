/**
 * Attempts with a time limit, and what an interruption by the loop means.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Verdict } from "../../classify/Verdict.ts"
import type { StopReason } from "./RetryStopped.ts"
import type { Handed } from "../../fund/fiber/Child.ts"
import type { Flags } from "../../fund/fiber/Interruption.ts"
import { withinKnown } from "../../fund/fiber/Within.ts"

/** An effect without its types, which the front doors have checked. */
export type Erased = Effect.Effect<unknown, unknown, unknown>

/**
 * Why the loop has interrupted an attempt: at its timeout, or at a deadline, which is then the reason to stop.
 */
export interface Expired {
  /** How the attempt failed, evaluated once it has ended. */
  readonly failed: () => { readonly error: unknown; readonly verdict: Verdict }
  readonly reason: StopReason | undefined
}

/** The part of an operation that this file reads and changes. */
export interface Expiring {
  /** The flags of the fiber that runs the operation. */
  readonly runtimeFlags: Flags
  /** Attempts started. */
  readonly attempts: number
  /** The latest failure. */
  readonly failure: { readonly error: unknown } | undefined
  /** Why the loop has interrupted the running attempt. */
  expired: Expired | undefined
}

/** An attempt that is about to start, and how long it may run. */
export interface Bounded {
  readonly self: Erased
  readonly millis: number
  /** The whole deadline, if that limits the attempt's time. */
  readonly deadlineMillis: number | undefined
  /** Receives the exit of the attempt in the step in which it ends. */
  readonly note: ((exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>) | undefined
  /** A value that the attempt finds in place of the one outside. */
  readonly handed: Handed | undefined
}

/** Runs an attempt for as long as it may run, and notes an interruption by its time limit in the operation. */
export const runFor = (
  { handed, millis, note, self }: Bounded,
  op: Expiring,
  disconnected: boolean,
  expired: () => Expired
): Erased => {
  const onTimeout = () => {
    op.expired = expired()
    return Effect.fail(op.expired)
  }
  return withinKnown(self, { millis, onTimeout, disconnected, note, handed }, op.runtimeFlags)
}
