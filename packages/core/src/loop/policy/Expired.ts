/**
 * An attempt under a bound of time, and what it means that the loop has interrupted it.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Verdict } from "../../classify/Verdict.ts"
import type { StopReason } from "./RetryStopped.ts"
import type { Handed } from "../../fund/fiber/Child.ts"
import type { Flags } from "../../fund/fiber/Interruption.ts"
import { withinKnown } from "../../fund/fiber/Within.ts"

/** An effect without its types: the front doors have checked them. */
export type Erased = Effect.Effect<unknown, unknown, unknown>

/**
 * What it means that the loop has interrupted an attempt: at its timeout, or at a deadline, which is then the reason to stop.
 */
export interface Expired {
  /** What the attempt failed with. Judged once it has ended. */
  readonly failed: () => { readonly error: unknown; readonly verdict: Verdict }
  readonly reason: StopReason | undefined
}

/** What is read and noted here of an operation. */
export interface Expiring {
  /** Of the fiber that runs the operation. */
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
  /** The whole of the deadline, where that gives the attempt its time. */
  readonly deadlineMillis: number | undefined
  /** Told how the attempt ended, in the step in which it ends. */
  readonly note: ((exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>) | undefined
  /** What the attempt finds around it, instead of the values outside. */
  readonly handed: Handed | undefined
}

/** Runs an attempt for as long as it may, and notes in the operation where that has interrupted it. */
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
