/**
 * Buckets that a fleet shares, kept in Redis or Valkey.
 *
 * All but the circuit breaker are a `TokenBucket<RedisError>`, which no policy takes: `TokenBucket.failOpen`,
 * `failClosed` or `fallback` around it says what happens while Redis is away. A bucket lives in a scope: when that closes,
 * the process returns the tokens that it holds. With `TokenBucket.keyed` there is one bucket per key.
 */
import type * as CircuitBreaker from "@effect-retry/core/CircuitBreaker"
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

/**
 * A circuit breaker whose state a fleet shares: `CircuitBreaker.make`, for a policy's `rateLimiter`. If one
 * process opens the circuit, it is open for all of them.
 *
 * Each process counts its own attempts while the circuit is closed; `opensAt` holds for one process. Open times, probes, the
 * successes that close the circuit, `isolate` and `reset` are those of the whole fleet, and `probes` is the largest number
 * under way in it. A probe whose process has stopped keeps its place for `probeTimeout`, by the clock of the store.
 *
 * A process asks the store before an attempt if it last did so `refreshAfter` ago, and when the state changes; so it lets
 * attempts through for at most that long after another process has opened the circuit. Waiting is not supported. While the
 * store is away, the breaker goes on in each process alone, and the store is asked again at most once per second; then the
 * state in the store counts, if it has changed since, or else that of the process. It cannot fail, so a policy takes it as
 * it is.
 *
 * @category constructors
 */
export const circuitBreaker = (
  options: SharedBucket.CircuitBreakerOptions
): Effect.Effect<CircuitBreaker.CircuitBreaker, never, RedisStore> => {
  const make = SharedBucket.circuitBreaker(ownerOf("circuitBreaker"), options)
  return Effect.flatMap(RedisStore, (store) => make({ store }))
}

const ownerOf = (constructor: string): string => `RedisBucket.${constructor}`

const inRedis = (
  make: (
    fleet: SharedBucket.FleetStore<RedisError>
  ) => Effect.Effect<SharedBucket.FleetBucket<RedisError>, never, Scope.Scope>
): Make => Effect.flatMap(RedisStore, (store) => make({ store, timedOut }))

const timedOut = (bucket: string): RedisError => new RedisError({ reason: "TimedOut", bucket, code: "" })
