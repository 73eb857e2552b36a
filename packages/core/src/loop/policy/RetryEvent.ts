/**
 * What happens to an operation under a policy, as values. Sent to the observers that the policy names; the stage
 * `observe` has observers ready to use.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ShownError } from "../../accept/Untrusted.ts"
import type { Kind, Verdict } from "../../classify/Verdict.ts"
import type { ActiveOperation } from "../../fund/fiber/ActiveOperation.ts"
import type { StopReason } from "./RetryStopped.ts"

/**
 * What observers show of an event, in words and as attributes. Nothing in it is secret: no credential, no query value, no
 * body.
 *
 * Core knows the name of the policy and the key. `Observe.describing` adds what a
 * protocol or a driver knows.
 *
 * @category models
 */
export interface Details {
  /** What was called, such as `GET api.example`. The policy's name where nothing else is known; empty without a name. */
  readonly subject: string
  /** How the latest attempt ended, such as `503`. Empty where only its error is known: `Observe.shown` tells type and message. */
  readonly outcome: string
  /** Which of several buckets the operation uses: `TokenBucket.Key`, such as a host or a tenant. Empty where it is not set. */
  readonly key: string
  /** What log lines and spans show besides what core knows, by OpenTelemetry's names. */
  readonly attributes: Attributes
  /** What metrics are kept apart by, besides the key. Each value makes series of its own: few values, known beforehand. */
  readonly tags: { readonly [name: string]: string }
}

export type Attributes = { readonly [name: string]: string | number }

/** What every event tells. Times count from when the operation began: a wait for the first grant is part of them. */
export interface Common {
  /** The policy's name; empty where it has none. */
  readonly name: string
  /** The number of the latest attempt, from 1; zero before the first and where that was refused. */
  readonly attempt: number
  /** `maxAttempts` of the policy. */
  readonly maxAttempts: number
  readonly elapsed: Duration.Duration
  /** Asks the bucket for its tokens; `None` without a bucket, and where the bucket cannot tell. */
  readonly level: Effect.Effect<Option.Option<number>>
  /** What to show of the event. Worked out when it is called, and at no cost where no observer calls it. */
  readonly details: () => Details
}

export interface AttemptFailed extends Common {
  readonly _tag: "AttemptFailed"
  /**
   * Class, code and causes of the error, and messages of plain words: safe to log. `Observe.shown` shows more of it; its `original` is
   * the error itself.
   */
  readonly error: ShownError
  readonly verdict: Verdict
  /** How long the attempt ran. */
  readonly ran: Duration.Duration
  /** How long it had waited for the rate limiter. */
  readonly rateLimiterWait: Duration.Duration
}

/** A retry is decided on and paid for; its wait begins. */
export interface RetryScheduled extends Common {
  readonly _tag: "RetryScheduled"
  /** What may be shown of the error that the retry is for. */
  readonly error: ShownError
  readonly verdict: Verdict
  readonly delay: Duration.Duration
  /** What the delay came from: the curve and its jitter, the cap on it, the server's hint, or the deadline. */
  readonly source: DelaySource
  /** Tokens that the bucket granted for the retry; zero without a bucket. */
  readonly cost: number
}

export type DelaySource = "Curve" | "Cap" | "Hint" | "Deadline"

/** The operation is done. */
export interface Succeeded extends Common {
  readonly _tag: "Succeeded"
  /** How long the attempt that succeeded had waited for the rate limiter. */
  readonly rateLimiterWait: Duration.Duration
}

/**
 * There is no further attempt. `error` shows what the operation fails with; for a judged result, a `ResultRejected`.
 */
export interface GaveUp extends Common {
  readonly _tag: "GaveUp"
  readonly error: ShownError
  readonly reason: StopReason
  /** Of the last failure; `None` where it has none, and where the first attempt was refused. */
  readonly kind: Option.Option<Kind>
}

/** The operation runs inside an attempt of another one that is retried too: their attempts multiply. */
export interface NestingNoticed extends Common {
  readonly _tag: "NestingNoticed"
  readonly outer: ActiveOperation
}

/** A hedged operation has started another attempt, while others may still run. `attempt` is its number. */
export interface HedgeStarted extends Common {
  readonly _tag: "HedgeStarted"
  /** Whether the others had not answered for the time of the policy, or one of them had failed. */
  readonly because: "Delay" | "Failure"
  /** Attempts in flight, this one included. */
  readonly inFlight: number
  /** Tokens that the bucket granted for it; zero without a bucket. */
  readonly cost: number
}

/** The bucket has refused another attempt of a hedged operation. Those that run go on, and none is started any more. */
export interface HedgeRefused extends Common {
  readonly _tag: "HedgeRefused"
}

/**
 * An operation that a defect or an interruption ends has no last event.
 *
 * @category models
 */
export type RetryEvent =
  | AttemptFailed
  | RetryScheduled
  | Succeeded
  | GaveUp
  | NestingNoticed
  | HedgeStarted
  | HedgeRefused

/**
 * Receives the events of an operation, one after the other, in its fiber and outside of its attempts. A policy also takes
 * functions that do something at once and return nothing.
 *
 * The operation continues when the observer has returned, so a slow observer delays it, and its time counts toward the
 * deadline; at the deadline the observer is interrupted. A defect in an observer is logged and changes nothing.
 *
 * @category models
 */
export interface Observer {
  (event: RetryEvent): Effect.Effect<void>
}
