/**
 * Buckets that a fleet shares, kept in Redis or Valkey.
 *
 * Each is a `TokenBucket<RedisError>`, which no policy takes: `TokenBucket.failOpen`, `failClosed` or `fallback` around it
 * says what happens while Redis is away. A bucket lives in a scope, at whose end the process returns the tokens that it
 * holds. As the bucket of `TokenBucket.keyed` each is one bucket per key.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { RedisError } from "../accept/RedisError.ts"
import { RedisStore } from "./RedisStore.ts"
import * as SharedBucket from "./SharedBucket.ts"

export { orLocalShare } from "./LocalShare.ts"

type Make = Effect.Effect<SharedBucket.FleetBucket<RedisError>, never, RedisStore | Scope.Scope>

/**
 * The retry quota of the AWS SDKs, shared by a fleet.
 *
 * @category constructors
 */
export const quota = (options: SharedBucket.QuotaOptions): Make =>
  inRedis(SharedBucket.quota(ownerOf("quota"), options))

/**
 * A retry budget that is a share of the successes, for a fleet.
 *
 * @category constructors
 */
export const successRatio = (options: SharedBucket.SuccessRatioOptions): Make =>
  inRedis(SharedBucket.successRatio(ownerOf("successRatio"), options))

/**
 * A fixed rate of attempts, for a fleet.
 *
 * @category constructors
 */
export const fixed = (options: SharedBucket.FixedOptions): Make =>
  inRedis(SharedBucket.fixed(ownerOf("fixed"), options))

/**
 * The retry throttling of gRPC, with one count for a fleet.
 *
 * @category constructors
 */
export const grpcThrottle = (options: SharedBucket.GrpcThrottleOptions): Make =>
  inRedis(SharedBucket.grpcThrottle(ownerOf("grpcThrottle"), options))

const ownerOf = (constructor: string): string => `RedisBucket.${constructor}`

const inRedis = (
  make: (
    fleet: SharedBucket.FleetStore<RedisError>
  ) => Effect.Effect<SharedBucket.FleetBucket<RedisError>, never, Scope.Scope>
): Make => Effect.flatMap(RedisStore, (store) => make({ store, timedOut }))

const timedOut = (bucket: string): RedisError =>
  new RedisError({ reason: "TimedOut", bucket, code: "", cause: Redacted.make(undefined) })
