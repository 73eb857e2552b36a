/**
 * The port of token buckets: may this attempt be made?
 *
 * A policy has two places for a bucket. As its `bucket` it is asked before the wait of every retry, and bounds what
 * retries add to the load of a server in trouble. As its `rateLimiter` it is asked after the wait, before every attempt,
 * the first included. A bucket knows attempts, kinds and time, but no protocol. Its state lives in the value itself, so
 * programs share a bucket exactly when they share the value, or the layer that makes it.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Kind, Verdict } from "../../classify/Verdict.ts"

/**
 * A request for the tokens of an attempt.
 *
 * @category models
 */
export interface Request {
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The kind of the failure before it; `None` for a first attempt and for a failure without a kind. */
  readonly kind: Option.Option<Kind>
  /** The wait before the attempt if it is granted; zero for a rate limiter, which is asked after the wait. */
  readonly delay: Duration.Duration
  /** How long the bucket may wait: what the deadline leaves after `delay`; `None` without a deadline. */
  readonly atMost: Option.Option<Duration.Duration>
  /** Gives a wait the interruptibility of the operation. */
  readonly restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Called with the error of a failed bucket when `failClosed` or `fallback` answers for it; it becomes the reason of a
   * refusal.
   */
  readonly failed?: ((error: unknown) => void) | undefined
  /** Called by a bucket that refuses and can say more about it. */
  readonly refused?: ((refusal: Refusal) => void) | undefined
}

/**
 * What a bucket, such as a circuit breaker, says about a refusal.
 *
 * @category models
 */
export interface Refusal {
  /** The bucket's name for the state in which it refuses: `Open`, `HalfOpen` or `Isolated` for a circuit. */
  readonly state: string
  /** How long to wait before asking again; `None` if the bucket does not know. */
  readonly retryAfter: Option.Option<Duration.Duration>
}

/**
 * Tokens that a bucket has granted.
 *
 * @category models
 */
export interface Grant {
  /** How many. May be zero and may be a fraction. */
  readonly tokens: number
  /** Returns the tokens. Run it at most once, and only if the attempt was not made. */
  readonly refund: Effect.Effect<void>
  /**
   * Whether the bucket is also told if this attempt is interrupted or dies. A bucket with `started` is told of every such
   * attempt. A rate limiter without `started` that grants in one step gets the grant back, and is asked a second time, where
   * an interruption could come before it can be told. @default false
   */
  readonly hearsAbandoned?: boolean | undefined
}

/** The grant of a bucket that was not asked, or that takes no tokens. */
export const noTokens: Grant = { tokens: 0, refund: Effect.void }

/**
 * An attempt that has begun. `started` and the later `record` get the same value, and each attempt has its own, so a bucket
 * can tell attempts of concurrent operations apart.
 *
 * @category models
 */
export interface Started {
  /** The number of the attempt, from 1. */
  readonly attempt: number
}

/** The fields of every outcome. */
interface Ended {
  /** The number of the attempt, from 1. */
  readonly attempt: number
  readonly granted: Grant
  /** The value that `started` was given; absent if neither the policy's bucket nor its rate limiter has `started`. */
  readonly started?: Started | undefined
  /** How long the attempt ran; absent if neither the policy's bucket nor its rate limiter is `timed`. */
  readonly ran?: Duration.Duration | undefined
}

/**
 * How an attempt ended.
 *
 * `granted` is the value that this bucket returned, so a bucket may keep more in it than the port asks for; it is `noTokens`
 * if the bucket was not asked. A bucket that wraps another passes the inner bucket the inner grant.
 *
 * @category models
 */
export type Outcome =
  | (Ended & { readonly _tag: "Succeeded" })
  | (Ended & { readonly _tag: "Failed"; readonly verdict: Verdict })
  /**
   * Interrupted, ended by a defect, or not made after all. Recorded only with buckets that have `started`, or that set
   * `hearsAbandoned` in the grant.
   */
  | (Ended & { readonly _tag: "Abandoned" })

/**
 * A bucket of the tokens that attempts cost. `E` is the error of the bucket itself: a policy takes only buckets that cannot
 * fail.
 *
 * @category models
 */
export interface TokenBucket<out E = never> {
  /**
   * Grants all the tokens that an attempt costs, or takes none and returns `None`.
   *
   * Runs uninterruptibly, so that tokens are never taken without an answer. A bucket that waits wraps the wait, and nothing
   * else, in `request.restore`, serves first come, first served, and waits at most `request.atMost`.
   */
  readonly acquire: (request: Request) => Effect.Effect<Option.Option<Grant>, E>
  /** Records how an attempt ended: once for each attempt, first attempts included. */
  readonly record: (outcome: Outcome) => Effect.Effect<void, E>
  /** The tokens now. Read only if an observer wants it. */
  readonly level: Effect.Effect<number, E>
  /**
   * Tells the bucket that an attempt begins, first attempts included. A bucket with this member is told of abandoned
   * attempts as well, so every `started` is followed by exactly one `record`.
   */
  readonly started?: ((started: Started) => Effect.Effect<void, E>) | undefined
  /**
   * The refusal that an attempt asking after `delay` would get, if it is already certain; `None` promises nothing. Changes
   * nothing. A policy asks its rate limiter before the wait of a retry, and stops instead of waiting for a refusal.
   */
  readonly refusalAfter?: ((delay: Duration.Duration) => Effect.Effect<Option.Option<Refusal>, E>) | undefined
  /** Whether outcomes must say how long attempts ran. If no bucket asks for it, no clock is read. @default false */
  readonly timed?: boolean | undefined
}

/**
 * The tag for the retries of an application that needs just one bucket. Declare your own tags if a program has several.
 *
 * @category models
 */
export class RetryBucket
  extends /*#__PURE__*/ Context.Tag("@effect-retry/core/RetryBucket")<RetryBucket, TokenBucket>() {}
