/**
 * What happens to an operation under a policy, as values sent to the policy's observers. The stage `observe` has ready-made
 * observers.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ShownError } from "../../accept/Untrusted.ts"
import type { Kind, Verdict } from "../../classify/Verdict.ts"
import type { ActiveOperation } from "../../fund/fiber/ActiveOperation.ts"
import type { StopReason } from "./RetryStopped.ts"

/**
 * What observers show of an event, in words and as attributes. It holds no secrets: no credential, query value or body.
 *
 * Core knows only the name of the policy and the key. `Observe.describing` adds what a protocol or a driver knows.
 *
 * @category models
 */
export interface Details {
  /** What was called, such as `GET api.example`. The policy's name if nothing else is known; empty without a name. */
  readonly subject: string
  /** How the latest attempt ended, such as `503`. Empty if only its error is known: `Observe.shown` gives type and message. */
  readonly outcome: string
  /** Which of several buckets the operation uses: `TokenBucket.Key`, such as a host or a tenant. Empty if not set. */
  readonly key: string
  /** What log lines and spans show besides what core knows, with OpenTelemetry's names. */
  readonly attributes: Attributes
  /** Labels of metrics, besides the key. Each combination of values is a separate series, so use few values, known in advance. */
  readonly tags: { readonly [name: string]: string }
}

export type Attributes = { readonly [name: string]: string | number }

/** The fields of every event. Times count from the beginning of the operation, so they include a wait for the first grant. */
export interface Common {
  /** The policy's name; empty if it has none. */
  readonly name: string
  /** The number of the latest attempt, from 1; zero before the first one, or if that was refused. */
  readonly attempt: number
  /** `maxAttempts` of the policy. */
  readonly maxAttempts: number
  readonly elapsed: Duration.Duration
  /** Reads the tokens of the bucket; `None` without a bucket, or if the bucket cannot tell. */
  readonly level: Effect.Effect<Option.Option<number>>
  /** What to show of the event. Computed when called, so it costs nothing unless an observer calls it. */
  readonly details: () => Details
}

export interface AttemptFailed extends Common {
  readonly _tag: "AttemptFailed"
  /**
   * Class, code and causes of the error, and messages of plain words: safe to log. `Observe.shown` shows more;
   * `original` is the error itself.
   */
  readonly error: ShownError
  readonly verdict: Verdict
  /** How long the attempt ran. */
  readonly ran: Duration.Duration
  /** How long it had waited for the rate limiter. */
  readonly rateLimiterWait: Duration.Duration
}

/** A retry has been decided on and paid for; its wait begins. */
export interface RetryScheduled extends Common {
  readonly _tag: "RetryScheduled"
  /** What may be shown of the error that led to the retry. */
  readonly error: ShownError
  readonly verdict: Verdict
  readonly delay: Duration.Duration
  /** What set the delay: the curve with its jitter, the cap, the server's hint, or the deadline. */
  readonly source: DelaySource
  /** Tokens that the bucket granted for the retry; zero without a bucket. */
  readonly cost: number
}

export type DelaySource = "Curve" | "Cap" | "Hint" | "Deadline"

/** The operation has succeeded. */
export interface Succeeded extends Common {
  readonly _tag: "Succeeded"
  /** How long the attempt that succeeded had waited for the rate limiter. */
  readonly rateLimiterWait: Duration.Duration
}

/**
 * There is no further attempt. `error` shows the error of the operation; for a judged result, a `ResultRejected`.
 */
export interface GaveUp extends Common {
  readonly _tag: "GaveUp"
  readonly error: ShownError
  readonly reason: StopReason
  /** The kind of the last failure; `None` if it has none, or if the first attempt was refused. */
  readonly kind: Option.Option<Kind>
}

/** The operation runs inside an attempt of another one that also retries, so their attempts multiply. */
export interface NestingNoticed extends Common {
  readonly _tag: "NestingNoticed"
  readonly outer: ActiveOperation
}

/** A hedged operation has started another attempt, while others may still run. `attempt` is its number. */
export interface HedgeStarted extends Common {
  readonly _tag: "HedgeStarted"
  /** Whether the others had not answered within the delay, or one of them had failed. */
  readonly because: "Delay" | "Failure"
  /** Attempts in flight, this one included. */
  readonly inFlight: number
  /** Tokens that the bucket granted for it; zero without a bucket. */
  readonly cost: number
}

/** The bucket has refused another attempt of a hedged operation. The running ones continue, and no further one starts. */
export interface HedgeRefused extends Common {
  readonly _tag: "HedgeRefused"
}

/**
 * Every event. An operation that a defect or an interruption ends has no last event.
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
 * Receives the events of an operation, one after the other, in its fiber and outside its attempts. A policy also takes
 * functions that act synchronously and return nothing.
 *
 * The operation continues when the observer has returned, so a slow observer delays it, and its time counts toward the
 * deadline; at the deadline the observer is interrupted. A defect in an observer is logged and changes nothing.
 *
 * @category models
 */
export interface Observer {
  (event: RetryEvent): Effect.Effect<void>
}
