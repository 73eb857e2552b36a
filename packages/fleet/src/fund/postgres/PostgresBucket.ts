/**
 * Buckets that a fleet shares, kept in Postgres.
 *
 * All but the circuit breaker are a `TokenBucket<PostgresError>`, which no policy takes: `TokenBucket.failOpen`,
 * `failClosed` or `fallback` around it says what happens while Postgres is away. A bucket lives in a scope: when that
 * closes, the process returns the tokens that it holds. With `TokenBucket.keyed` there is one bucket per key.
 */
import type * as CircuitBreaker from "@effect-retry/core/CircuitBreaker"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { PostgresError } from "../../accept/PostgresError.ts"
import { PostgresStore } from "./PostgresStore.ts"
import * as SharedBucket from "../bucket/SharedBucket.ts"

export { orLocalShare } from "../bucket/LocalShare.ts"

type Make = Effect.Effect<SharedBucket.FleetBucket<PostgresError>, never, PostgresStore | Scope.Scope>

/**
 * The retry quota of the AWS SDKs, shared by a fleet: `RedisBucket.quota` in another store.
 *
 * Formula, over any `w` seconds, where each of `n` processes holds at most `lease = max(1, leaseShare * capacity)` tokens
 * and an answer of the store is spent within `d` seconds, at most its `within`:
 * `spent <= capacity + refillPerSecond * (w + d) + credits + n * lease`, where `credits` are the tokens that successes
 * add, including those of the `idleAfter` before the window. If retries wait, `lease` is at least the cost of the most
 * expensive one.
 *
 * @category constructors
 */
export const quota = (options: SharedBucket.QuotaOptions): Make =>
  inPostgres(SharedBucket.quota(ownerOf("quota"), options))

/**
 * A retry budget that is a share of the successes, for a fleet; a retry costs one token: `RedisBucket.successRatio` in
 * another store.
 *
 * Formula, for the whole fleet from the start: `retries <= capacity + ratio * successes + floorPerSecond * t`; over any `w`
 * seconds, for `n` processes: `capacity + ratio * successes + floorPerSecond * (w + d) + 2 * n * lease`, where
 * `lease = max(1, leaseShare * capacity)` and an answer of the store is spent within `d` seconds, at most its `within`.
 * While all attempts succeed, nothing is sent.
 *
 * @category constructors
 */
export const successRatio = (options: SharedBucket.SuccessRatioOptions): Make =>
  inPostgres(SharedBucket.successRatio(ownerOf("successRatio"), options))

/**
 * A fixed rate of attempts, for a fleet; outcomes change nothing: `RedisBucket.fixed` in another store.
 *
 * Formula, over any `w` seconds, where each of `n` processes holds at most `lease = max(1, leaseShare * burst)` tokens
 * and an answer of the store is spent within `d` seconds, at most its `within`: `attempts <= burst + rate * (w + d) + n
 * * lease`.
 *
 * @category constructors
 */
export const fixed = (options: SharedBucket.FixedOptions): Make =>
  inPostgres(SharedBucket.fixed(ownerOf("fixed"), options))

/**
 * A circuit breaker whose state a fleet shares, for a policy's `rateLimiter`: `RedisBucket.circuitBreaker` in another store.
 *
 * If one process opens the circuit, it is open for all of them after at most `refreshAfter`. While the store is away, the
 * breaker goes on in each process alone. It cannot fail, so a policy takes it as it is.
 *
 * @category constructors
 */
export const circuitBreaker = (
  options: SharedBucket.CircuitBreakerOptions
): Effect.Effect<CircuitBreaker.CircuitBreaker, never, PostgresStore> => {
  const make = SharedBucket.circuitBreaker(ownerOf("circuitBreaker"), options)
  return Effect.flatMap(PostgresStore, (store) => make({ store }))
}

const ownerOf = (constructor: string): string => `PostgresBucket.${constructor}`

const inPostgres = (
  make: (
    fleet: SharedBucket.FleetStore<PostgresError>
  ) => Effect.Effect<SharedBucket.FleetBucket<PostgresError>, never, Scope.Scope>
): Make => Effect.flatMap(PostgresStore, (store) => make({ store, timedOut }))

const timedOut = (bucket: string): PostgresError => new PostgresError({ reason: "TimedOut", bucket, code: "" })
