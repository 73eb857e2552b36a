/**
 * What happens to an operation under a policy, as values. Sent to the observers a policy names; see the stage `observe`
 * for observers ready to use.
 */
import type { Duration, Effect, Option } from "effect"
import { Context } from "effect"
import type { Verdict } from "../classify/Verdict.ts"
import type { StopReason } from "./RetryStopped.ts"

/**
 * What every event tells. Times count from the start of the first attempt.
 *
 * @category models
 */
export interface Common {
  /** The policy's name; empty where it has none. */
  readonly name: string
  /** The number of the latest attempt, from 1; zero where the first one was refused. */
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
  /** How long it had to wait for the send rate. */
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
 * @category models
 */
export interface Succeeded extends Common {
  readonly _tag: "Succeeded"
  readonly sendWait: Duration.Duration
}

/**
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
 * @category models
 */
export type RetryEvent = AttemptFailed | RetryScheduled | Succeeded | GaveUp | NestingNoticed

/**
 * Hears the events of an operation, in order, in its fiber. A defect in an observer is logged and does no harm.
 *
 * @category models
 */
export interface Observer {
  (event: RetryEvent): Effect.Effect<void>
}

/**
 * @category models
 */
export interface ActiveOperation {
  readonly name: string
  readonly attempt: number
}

/**
 * The innermost named operation of whose attempt the running code is part; `undefined` outside of any.
 *
 * @category models
 */
export class CurrentOperation extends Context.Reference<CurrentOperation>()("@effect-retry/core/CurrentOperation", {
  defaultValue: (): ActiveOperation | undefined => undefined
}) {}
