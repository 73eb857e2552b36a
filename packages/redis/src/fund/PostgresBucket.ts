/**
 * Buckets that a fleet shares, kept in Postgres.
 *
 * Each is a `TokenBucket<PostgresError>`, which no policy takes: `TokenBucket.failOpen`, `failClosed` or `fallback` around it
 * says what happens while Postgres is away. A bucket lives in a scope, at whose end the process returns the tokens that it
 * holds. As the bucket of `TokenBucket.keyed` each is one bucket per key.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { PostgresError } from "../accept/PostgresError.ts"
import { PostgresStore } from "./PostgresStore.ts"
import * as SharedBucket from "./SharedBucket.ts"

export { orLocalShare } from "./LocalShare.ts"

type Make = Effect.Effect<SharedBucket.FleetBucket<PostgresError>, never, PostgresStore | Scope.Scope>

/**
 * The retry quota of the AWS SDKs, shared by a fleet.
 *
 * @category constructors
 */
export const quota = (options: SharedBucket.QuotaOptions): Make =>
  inPostgres(SharedBucket.quota(ownerOf("quota"), options))

/**
 * A retry budget that is a share of the successes, for a fleet.
 *
 * @category constructors
 */
export const successRatio = (options: SharedBucket.SuccessRatioOptions): Make =>
  inPostgres(SharedBucket.successRatio(ownerOf("successRatio"), options))

/**
 * A fixed rate of attempts, for a fleet.
 *
 * @category constructors
 */
export const fixed = (options: SharedBucket.FixedOptions): Make =>
  inPostgres(SharedBucket.fixed(ownerOf("fixed"), options))

/**
 * The retry throttling of gRPC, with one count for a fleet.
 *
 * @category constructors
 */
export const grpcThrottle = (options: SharedBucket.GrpcThrottleOptions): Make =>
  inPostgres(SharedBucket.grpcThrottle(ownerOf("grpcThrottle"), options))

const ownerOf = (constructor: string): string => `PostgresBucket.${constructor}`

const inPostgres = (
  make: (
    fleet: SharedBucket.FleetStore<PostgresError>
  ) => Effect.Effect<SharedBucket.FleetBucket<PostgresError>, never, Scope.Scope>
): Make => Effect.flatMap(PostgresStore, (store) => make({ store, timedOut }))

const timedOut = (bucket: string): PostgresError =>
  new PostgresError({ reason: "TimedOut", bucket, code: "", cause: Redacted.make(undefined) })
