// #region client
import { AwsQuota, AwsRetry } from "@effect-retry/aws"
import { RateLimiter, Retry, TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"

/** A separate quota for each client. */
const ofClient = Effect.map(AwsQuota.standard, (bucket) => ({ ...AwsRetry.standard, bucket }))
// #endregion

// #region service
/** One quota for all clients of a service and region, as the SDK for Rust has it. */
const ofService = Effect.map(
  TokenBucket.keyed({ bucket: AwsQuota.standard, maxKeys: 100, idleTimeToLive: "1 hour" }),
  (bucket) => ({ ...AwsRetry.standard, bucket })
)

const inRegion = Effect.provideService(TokenBucket.Key, "dynamodb-eu-central-1")
// #endregion

// #region table
/** One limiter for each table: a throttle of one table does not slow down the others. */
const ofTable = Effect.gen(function* () {
  const rateLimiter = yield* TokenBucket.keyed({
    bucket: RateLimiter.adaptive(),
    maxKeys: 1000,
    idleTimeToLive: "1 hour"
  })
  return { ...AwsRetry.adaptive, bucket: yield* AwsQuota.standard, rateLimiter }
})

const onTable = (name: string) => Effect.provideService(TokenBucket.Key, name)
// #endregion

const failing = Effect.fail({ name: "InternalError", status: 500 })
const spent = (level: Effect.Effect<number>) => Effect.map(level, (level) => 500 - level)

export const program = Effect.gen(function* () {
  const [one, other] = [yield* ofClient, yield* ofClient]
  yield* Effect.ignore(Retry.retry(failing, one))

  const shared = yield* ofService
  yield* Effect.ignore(inRegion(Retry.retry(failing, shared)))

  const limited = yield* ofTable
  yield* Effect.ignore(onTable("orders")(Retry.retry(failing, limited)))
  return {
    one: yield* spent(one.bucket.level),
    other: yield* spent(other.bucket.level),
    here: yield* spent(inRegion(shared.bucket.level)),
    elsewhere: yield* spent(Effect.provideService(shared.bucket.level, TokenBucket.Key, "dynamodb-us-east-1")),
    tables: yield* spent(limited.bucket.level)
  }
})

export const expected = { one: 28, other: 0, here: 28, elsewhere: 0, tables: 28 }
