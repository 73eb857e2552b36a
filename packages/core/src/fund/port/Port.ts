/**
 * The port to tokens: may this attempt be made?
 *
 * A policy has two places for a bucket. As its `bucket` it is asked before the wait of every retry, and bounds what
 * retries add to the load of a server in trouble. As its `rateLimiter` it is asked after the wait, before every attempt,
 * the first included. A bucket knows attempts, kinds and time, no protocol; its state lives in the value itself, so
 * programs share a bucket exactly when they share the value, or the layer that makes it.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Kind, Verdict } from "../../classify/Verdict.ts"

/**
 * The attempt that asks for tokens.
 *
 * @category models
 */
export interface Request {
  /** The number of the attempt that wants to be made, from 1. */
  readonly attempt: number
  /** The kind of the failure before it; `None` for a first attempt and for a failure without a kind. */
  readonly kind: Option.Option<Kind>
  /** The wait before the attempt, should it be granted; zero for a rate limiter, which is asked after the wait. */
  readonly delay: Duration.Duration
  /** What the deadline leaves for waiting beside `delay`; `None` without a deadline. */
  readonly atMost: Option.Option<Duration.Duration>
  /** Gives a wait the interruptibility that the operation has. */
  readonly restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Called with the error of a bucket when `failClosed` or `fallback` answers for it: the reason for a refusal. */
  readonly failed?: ((error: unknown) => void) | undefined
  /** Called by a bucket that refuses and can say more of it. */
  readonly refused?: ((refusal: Refusal) => void) | undefined
}

/**
 * What a bucket says of an attempt that it refuses: a circuit breaker does.
 *
 * @category models
 */
export interface Refusal {
  /** The state in which the bucket refuses, in its own word: `Open`, `HalfOpen` or `Isolated` for a circuit. */
  readonly state: string
  /** After what time it is worth asking again; `None` where the bucket does not know. */
  readonly retryAfter: Option.Option<Duration.Duration>
}

/**
 * Tokens that a bucket has handed out.
 *
 * @category models
 */
export interface Grant {
  /** How many. May be zero and may be a fraction. */
  readonly tokens: number
  /** Returns them. To be run at most once, and only if the attempt was not made. */
  readonly refund: Effect.Effect<void>
  /**
   * Whether the bucket also hears of this attempt if it is interrupted or dies. A bucket with `started` hears of every
   * one. @default false
   */
  readonly hearsAbandoned?: boolean | undefined
}

/** The grant if a bucket was not asked, or takes nothing. */
export const noTokens: Grant = { tokens: 0, refund: Effect.void }

/**
 * An attempt that has begun. `started` and the `record` of the end get the same value, and each attempt has its own, so
 * a bucket can tell attempts of concurrent operations apart.
 *
 * @category models
 */
export interface Started {
  /** The number of the attempt, from 1. */
  readonly attempt: number
}

/** What every outcome has. */
interface Ended {
  /** The number of the attempt, from 1. */
  readonly attempt: number
  readonly granted: Grant
  /** What `started` was told; absent where neither bucket nor rate limiter of the policy has `started`. */
  readonly started?: Started | undefined
  /** How long the attempt ran; absent where neither bucket nor rate limiter of the policy is `timed`. */
  readonly ran?: Duration.Duration | undefined
}

/**
 * How an attempt ended.
 *
 * `granted` is the value that this bucket answered, so a bucket may keep more in it than the port asks for; it is
 * `noTokens` if the bucket was not asked. A bucket around another one passes the inner one its own grant.
 *
 * @category models
 */
export type Outcome =
  | (Ended & { readonly _tag: "Succeeded" })
  | (Ended & { readonly _tag: "Failed"; readonly verdict: Verdict })
  /**
   * Interrupted, ended by a defect, or not made after all. Only buckets with `started` hear of it, and those that say
   * `hearsAbandoned` in the grant.
   */
  | (Ended & { readonly _tag: "Abandoned" })

/**
 * Tokens that attempts cost. `E` is the error of the bucket itself: a policy takes only buckets that cannot fail.
 *
 * @category models
 */
export interface TokenBucket<out E = never> {
  /**
   * Grants all the tokens that an attempt costs, or takes nothing and answers `None`.
   *
   * Runs uninterruptibly, so that tokens are never taken without an answer. A bucket that waits wraps its wait, and
   * only that, in `request.restore`, serves first come, first served, and waits at most `request.atMost`.
   */
  readonly acquire: (request: Request) => Effect.Effect<Option.Option<Grant>, E>
  /** Records how an attempt ended: once for each, first attempts included. */
  readonly record: (outcome: Outcome) => Effect.Effect<void, E>
  /** Tokens at this moment. Asked only where an observer wants it. */
  readonly level: Effect.Effect<number, E>
  /**
   * Notes that an attempt begins, first attempts included. A bucket that has it hears of abandoned attempts as well, so
   * every `started` is followed by exactly one `record`.
   */
  readonly started?: ((started: Started) => Effect.Effect<void, E>) | undefined
  /**
   * The refusal that an attempt would meet which asks after `delay`, where it is known already; `None` promises nothing.
   * Changes nothing. A policy asks its rate limiter before the wait of a retry, and stops instead of waiting for a refusal.
   */
  readonly refusalAfter?: ((delay: Duration.Duration) => Effect.Effect<Option.Option<Refusal>, E>) | undefined
  /** Whether outcomes have to say how long attempts ran. If no bucket asks for it, no clock is read. @default false */
  readonly timed?: boolean | undefined
}

/**
 * The tag for the retries of an application that needs just one bucket. Declare tags of your own where a program holds
 * several.
 *
 * @category models
 */
export class RetryBucket
  extends /*#__PURE__*/ Context.Tag("@effect-retry/core/RetryBucket")<RetryBucket, TokenBucket>() {}
