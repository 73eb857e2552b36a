/**
 * A policy with buckets for each host.
 */
import { RateLimiter, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Preset, standard } from "./HttpPolicy.ts"

/** `standard`, with its own bucket and rate limiter. */
export interface PerHost extends Preset {
  readonly bucket: TokenBucket.TokenBucket
  readonly rateLimiter: TokenBucket.TokenBucket
}

interface Options {
  /** The largest number of hosts with separate buckets at a time; further hosts share one more. @default 1000 */
  readonly maxHosts?: number
  /** A host without requests for this long may make room for another. More than the longest pause, 1 minute. @default "1 hour" */
  readonly idleTimeToLive?: Duration.DurationInput
  /** Makes another rate limiter for each host, such as a circuit breaker; it is asked before the pause. @default none */
  readonly rateLimiter?: Effect.Effect<TokenBucket.TokenBucket>
}

const owner = "HttpRetry.perHost"

/** The longest hint that `standard` follows. */
const pauseMillis = 60_000

/**
 * `standard`, with a retry quota and a pause for each host: a failing host uses up no retries of another one, and a
 * host that asks for a pause holds back only the requests to itself.
 *
 * The quota is `TokenBucket.quota()`; the pause is `RateLimiter.serverPause` of at most 1 minute, like the policy's own
 * limit for hints. The key is `TokenBucket.Key`: the host and port of the request as sent, unless the caller has set
 * it. Clients share the buckets exactly when they share the policy, so make it once.
 *
 * @category constructors
 */
export const perHost = (options: Options = {}): Effect.Effect<PerHost> => {
  const known = { maxHosts: false, idleTimeToLive: false, rateLimiter: false }
  const given = Argument.options(owner, "{ maxHosts: 1000 }", options, known)
  const { idleTimeToLive = "1 hour", maxHosts = 1000, rateLimiter: own } = given
  const maxKeys = Argument.number(owner, "maxHosts", maxHosts, { min: 1, integer: true })
  // Dropping a host also drops its pause.
  const idleMillis = Argument.millis(owner, "idleTimeToLive", idleTimeToLive, { min: pauseMillis, exclusive: true })
  const keyed = (bucket: Effect.Effect<TokenBucket.TokenBucket>) =>
    TokenBucket.keyed({ bucket, maxKeys, idleTimeToLive: idleMillis })
  const pause = RateLimiter.serverPause({ atMost: pauseMillis })
  const limiter = own === undefined ? pause : Effect.zipWith(own, pause, (own, pause) => TokenBucket.all(own, pause))
  return Effect.map(Effect.all([keyed(TokenBucket.quota()), keyed(limiter)]), ([bucket, rateLimiter]) => ({
    ...standard,
    bucket,
    rateLimiter
  }))
}
