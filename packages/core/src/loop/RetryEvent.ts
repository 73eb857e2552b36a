/**
 * What happens to an operation under a policy, as values. Sent to the observers a policy names; see the stage `observe`
 * for observers ready to use.
 */
import type { Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { Verdict } from "../classify/Verdict.ts"
import type { StopReason } from "./RetryStopped.ts"

/**
 * What every event tells. Times count from when the operation began: a wait for the first send is part of them.
 *
 * @category models
 */
export interface Common {
  /** The policy's name; empty where it has none. */
  readonly name: string
  /** The number of the latest attempt, from 1; zero before the first and where that was refused. */
  readonly attempt: number
  readonly elapsed: Duration.Duration
  /** Tokens in the bucket after the event; `None` without a bucket. */
  readonly level: Option.Option<number>
}

/**
 * @category models
 */
export interface AttemptFailed extends Common {
  readonly _tag: "AttemptFailed"
  readonly error: unknown
  readonly verdict: Verdict
  /** How long the attempt ran. */
  readonly ran: Duration.Duration
  /** How long it had waited for the send rate. */
  readonly sendWait: Duration.Duration
}

/**
 * A retry is decided on and paid for; its wait begins.
 *
 * @category models
 */
export interface RetryScheduled extends Common {
  readonly _tag: "RetryScheduled"
  readonly verdict: Verdict
  readonly delay: Duration.Duration
  /** What the delay came from: the curve and its jitter, the cap on it, the server's hint, or the deadline. */
  readonly source: DelaySource
  /** Tokens the retry cost; zero without a bucket. */
  readonly cost: number
}

/**
 * @category models
 */
export type DelaySource = "Curve" | "Cap" | "Hint" | "Deadline"

/**
 * The operation is done; after retries `level` shows what came back.
 *
 * @category models
 */
export interface Succeeded extends Common {
  readonly _tag: "Succeeded"
  /** How long the attempt that succeeded had waited for the send rate. */
  readonly sendWait: Duration.Duration
}

/**
 * There is no further attempt, and `error` is what the operation fails with; of a judged result, a `ResultRejected`.
 *
 * @category models
 */
export interface GaveUp extends Common {
  readonly _tag: "GaveUp"
  readonly error: unknown
  readonly reason: StopReason
}

/**
 * The operation runs inside an attempt of another one that is retried too: their attempts multiply.
 *
 * @category models
 */
export interface NestingNoticed extends Common {
  readonly _tag: "NestingNoticed"
  readonly outer: ActiveOperation
}

/**
 * An operation that a defect or an interruption ends has no last event.
 *
 * @category models
 */
export type RetryEvent = AttemptFailed | RetryScheduled | Succeeded | GaveUp | NestingNoticed

/**
 * Hears the events of an operation, one after the other, in its fiber and outside of its attempts.
 *
 * The operation goes on when the observer has returned, so a slow one delays it, and counts for the deadline. A defect
 * in an observer is logged and does no harm; neither does an observer that interrupts itself.
 *
 * @category models
 */
export interface Observer {
  (event: RetryEvent): Effect.Effect<void>
}

/**
 * An operation with a name, and which of its attempts is running.
 *
 * @category models
 */
export interface ActiveOperation {
  readonly name: string
  readonly attempt: number
}

/**
 * The innermost named operation of whose attempt the running code is part; `undefined` outside of any.
 *
 * Operations without a name, and those of one attempt, are not seen. Fibers forked in an attempt remain part of it, also
 * those that outlive it.
 *
 * @category models
 */
export class CurrentOperation extends Context.Reference<CurrentOperation>()("@effect-retry/core/CurrentOperation", {
  defaultValue: (): ActiveOperation | undefined => undefined
}) {}
