/**
 * A policy with buckets for each host.
 */
import { RateLimiter, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type Preset, standard } from "./HttpPolicy.ts"

/** `standard`, with a bucket and a rate limiter that are its own. */
export interface PerHost extends Preset {
  readonly bucket: TokenBucket.TokenBucket
  readonly rateLimiter: TokenBucket.TokenBucket
}

interface Options {
  /** Most hosts with separate buckets at a time; further hosts share one more. @default 1000 */
  readonly maxHosts?: number
  /** A host without requests for so long makes room for another. Longer than the minute of a pause. @default "1 hour" */
  readonly idleTimeToLive?: Duration.DurationInput
  /** Makes a rate limiter of each host beside its pause, such as a circuit breaker; the pause is asked after it. @default none */
  readonly rateLimiter?: Effect.Effect<TokenBucket.TokenBucket>
}

const owner = "HttpRetry.perHost"

/** The longest hint that `standard` follows. */
const pauseMillis = 60_000

/**
 * `standard`, with a quota of retries and a pause for each host: a host that fails takes no retries from another one, and
 * a host that asks for a pause holds back the requests to it, and to no other.
 *
 * The quota is `TokenBucket.quota()`; the pause is `RateLimiter.serverPause` of at most 1 minute, as long as the policy
 * waits itself. The key is `TokenBucket.Key`: the host and port of the request as it is sent, unless the caller has set
 * it. Clients share the buckets exactly where they share the policy: make it once.
 *
 * @category constructors
 */
export const perHost = (options: Options = {}): Effect.Effect<PerHost> => {
  if (!Predicate.isRecord(options)) return Argument.refuse(owner, "options", "a record of options", options)
  const { idleTimeToLive = "1 hour", maxHosts = 1000, rateLimiter: own }: Options = options
  const maxKeys = Argument.number(owner, "maxHosts", maxHosts, { min: 1, integer: true })
  // A host that is forgotten has no pause.
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
