/**
 * Buckets that a fleet shares, kept in Redis or Valkey.
 *
 * Each is a `TokenBucket<RedisError>`, which no policy takes: `TokenBucket.failOpen`, `failClosed` or `fallback` around
 * it says what happens while Redis is away. A bucket lives in a scope: when that closes, the process returns the tokens
 * that it holds. With `TokenBucket.keyed` there is one bucket per key.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { RedisError } from "../../accept/RedisError.ts"
import { RedisStore } from "./RedisStore.ts"
import * as SharedBucket from "../bucket/SharedBucket.ts"

export { orLocalShare } from "../bucket/LocalShare.ts"

type Make = Effect.Effect<SharedBucket.FleetBucket<RedisError>, never, RedisStore | Scope.Scope>

/**
 * The retry quota of the AWS SDKs, shared by a fleet.
 *
 * A retry costs tokens by kind, all or nothing. A successful retry returns what it cost, a successful first attempt adds
 * `firstSuccessIncrement`, and nothing else is returned. Waiting is first come, first served within a process; all
 * processes get about the same number of tokens, whatever their retries cost.
 * Formula, over any `w` seconds, where each of `n` processes holds at most `lease = max(1, leaseShare * capacity)` tokens
 * and an answer of the store is spent within `d` seconds, at most its `within`:
 * `spent <= capacity + refillPerSecond * (w + d) + credits + n * lease`, where `credits` are the tokens that successes
 * add, including those of the `idleAfter` before the window. If retries wait, `lease` is at least the cost of the most
 * expensive one.
 *
 * Unlike `TokenBucket.quota` it starts full and always refills. The process may spend what successes add at once; it
 * reaches the store later. A successful first attempt counts only if the store's latest answer leaves room for it:
 * while all attempts succeed, nothing is sent.
 *
 * @category constructors
 */
export const quota = (options: SharedBucket.QuotaOptions): Make =>
  inRedis(SharedBucket.quota(ownerOf("quota"), options))

/**
 * A retry budget that is a share of the successes, for a fleet; a retry costs one token.
 *
 * The ratio needs no store, because the sum of the shares is the share of the sum: a process keeps what its own
 * successes add, at most `lease = max(1, leaseShare * capacity)` tokens. Capacity and floor are kept in the store,
 * which a process asks when its own tokens are not enough. While all attempts succeed, nothing is sent.
 * Formula, for the whole fleet from the start: `retries <= capacity + ratio * successes + floorPerSecond * t`; over any `w`
 * seconds, for `n` processes: `capacity + ratio * successes + floorPerSecond * (w + d) + 2 * n * lease`, where an answer of
 * the store is spent within `d` seconds, at most its `within`.
 *
 * Unlike `TokenBucket.successRatio` it starts full and has a floor, and only time refills the capacity, not successes.
 *
 * @category constructors
 */
export const successRatio = (options: SharedBucket.SuccessRatioOptions): Make =>
  inRedis(SharedBucket.successRatio(ownerOf("successRatio"), options))

/**
 * A fixed rate of attempts, for a fleet; outcomes change nothing.
 *
 * Formula, over any `w` seconds, where each of `n` processes holds at most `lease = max(1, leaseShare * burst)` tokens
 * and an answer of the store is spent within `d` seconds, at most its `within`: `attempts <= burst + rate * (w + d) + n
 * * lease`. With a `leaseShare` of zero nothing is held, and each attempt asks the store. Waiting is first come, first
 * served within a process; between processes, the first to ask is served, and processes that are always waiting ask
 * about equally often.
 *
 * Unlike `RateLimiter.fixed` it does not make up for late timers. A refused process asks again after the time until the
 * tokens are there, times `U[1, 1.5)`, and later after several refusals in a row: with a burst of one token, a single
 * process gets four fifths of the rate; with a larger burst, all of it.
 *
 * @category constructors
 */
export const fixed = (options: SharedBucket.FixedOptions): Make =>
  inRedis(SharedBucket.fixed(ownerOf("fixed"), options))

const ownerOf = (constructor: string): string => `RedisBucket.${constructor}`

const inRedis = (
  make: (
    fleet: SharedBucket.FleetStore<RedisError>
  ) => Effect.Effect<SharedBucket.FleetBucket<RedisError>, never, Scope.Scope>
): Make => Effect.flatMap(RedisStore, (store) => make({ store, timedOut }))

const timedOut = (bucket: string): RedisError => new RedisError({ reason: "TimedOut", bucket, code: "" })
