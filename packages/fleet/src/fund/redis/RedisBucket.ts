/**
 * Buckets that a fleet shares, kept in Redis or Valkey.
 *
 * Each is a `TokenBucket<RedisError>`, which no policy takes: `TokenBucket.failOpen`, `failClosed` or `fallback` around
 * it says what happens while Redis is away. A bucket lives in a scope: when that closes, the process returns the tokens
 * that it holds. As the bucket of `TokenBucket.keyed` each is one bucket per key.
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
 * A retry costs tokens by kind, all or nothing; a success of a retry returns what that retry cost, a success of a first
 * attempt puts in `firstSuccessIncrement`; nothing else is returned. Waiting is first come, first served in each process;
 * between processes, each gets about as many tokens, whatever its retries cost.
 * Formula, over any `w` seconds, where each of `n` processes holds at most `lease = max(1, leaseShare * capacity)` tokens
 * and an answer of the store is spent within `d` seconds, at most its `within`:
 * `spent <= capacity + refillPerSecond * (w + d) + credits + n * lease`, where credits are the tokens that successes put
 * in, including those of the `idleAfter` before the window. Where retries wait, `lease` is at least the cost of the most
 * expensive one.
 *
 * Unlike `TokenBucket.quota` it starts full and always refills. What successes put in may be spent by the process at once,
 * and goes to the store late. A success of a first attempt counts only where the latest answer of the store leaves room
 * for it: while all attempts succeed, nothing is sent.
 *
 * @category constructors
 */
export const quota = (options: SharedBucket.QuotaOptions): Make =>
  inRedis(SharedBucket.quota(ownerOf("quota"), options))

/**
 * A retry budget that is a share of the successes, for a fleet; a retry costs one token.
 *
 * The ratio needs no store, since the sum of the shares is the share of the sum: a process keeps what its own successes
 * put in, at most `lease = max(1, leaseShare * capacity)` tokens. Capacity and floor are kept in the store; a process asks it
 * when its own tokens are not enough. While all attempts succeed, nothing is sent.
 * Formula, for the whole fleet from the start: `retries <= capacity + ratio * successes + floorPerSecond * t`; over any `w`
 * seconds, for `n` processes: `capacity + ratio * successes + floorPerSecond * (w + d) + 2 * n * lease`, where an answer of
 * the store is spent within `d` seconds, at most its `within`.
 *
 * Unlike `TokenBucket.successRatio` it starts full, has a floor, and successes do not fill the capacity again: time does.
 *
 * @category constructors
 */
export const successRatio = (options: SharedBucket.SuccessRatioOptions): Make =>
  inRedis(SharedBucket.successRatio(ownerOf("successRatio"), options))

/**
 * A fixed rate of attempts, for a fleet; outcomes change nothing.
 *
 * Formula, over any `w` seconds, where each of `n` processes holds at most `lease = max(1, leaseShare * burst)` tokens and an
 * answer of the store is spent within `d` seconds, at most its `within`: `attempts <= burst + rate * (w + d) + n * lease`. With a `leaseShare` of zero nothing is held, and each attempt asks the store.
 * Waiting is first come, first served in each process; between processes, the first to ask is served, and all that always
 * wait ask about equally often.
 *
 * Unlike `RateLimiter.fixed` it makes up for no late timers. A process that was refused asks again after the time until the
 * tokens are there, times `U[1, 1.5)`, and later where it is refused several times in a row: with a burst of one token, a
 * single process gets four fifths of the rate, and all of it with more.
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
