import { metricLines } from "./metric-lines.ts"
// #region bucket
import { TokenBucket } from "@effect-retry/core"
import { FleetLogs, FleetMetrics } from "@effect-retry/fleet"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { Effect, Layer } from "effect"

const orders = Layer.scoped(
  TokenBucket.RetryBucket,
  Effect.gen(function* () {
    const observe = [FleetMetrics.metrics, yield* FleetLogs.logs()]
    const bucket = yield* RedisBucket.quota({ name: "orders", capacity: 500, refillPerSecond: 10, observe })
    return yield* RedisBucket.orLocalShare(bucket, { within: "50 millis" })
  })
)
// #endregion

import { Backoff, Classifier, Retry } from "@effect-retry/core"
import type { Store } from "@effect-retry/fleet"
import * as RedisError from "@effect-retry/fleet/RedisError"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import { SeededRandom } from "@effect-retry/testing"
import { Logger } from "effect"

let isAway = false

const refusedConnection = new RedisError.RedisError({
  reason: "Unavailable",
  bucket: "orders",
  code: "ECONNREFUSED"
})

const answering = <A>(answer: A) => Effect.suspend(() => (isAway ? refusedConnection : Effect.succeed(answer)))

/** Has tokens for everything, and is away at times. */
const store: Store.Store<RedisError.RedisError> = {
  take: (_key, { burst }, want) => answering({ granted: want, retryAfterMillis: 0, level: burst - want }),
  put: () => answering(undefined),
  level: (_key, { burst }) => answering(burst),
  present: () => answering(1),
  swap: (_key, text) => answering({ text, nowMillis: 0 })
}

const operation = Retry.retry(Effect.fail("down"), {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "100 millis" }),
  bucket: TokenBucket.RetryBucket
}).pipe(Effect.ignore)

const calls = Effect.gen(function* () {
  yield* Effect.zipRight(operation, Effect.sleep("10 seconds"))
  isAway = true
  yield* Effect.zipRight(operation, Effect.sleep("4 seconds"))
  isAway = false
  yield* Effect.zipRight(operation, Effect.sleep("10 seconds"))
})

/** The metrics of the bucket that do not depend on the size of its leases. */
const shown = ["retry.fleet.grants", "retry.fleet.outages", "retry.fleet.store.away"]

export const program = Effect.gen(function* () {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
  yield* Effect.provide(calls, orders).pipe(
    Effect.provideService(RedisStore.RedisStore, store),
    Effect.provide(SeededRandom.layerConstant(0)),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
  return [...lines, ...(yield* metricLines(shown))].join("\n")
})

export const expected = [
  "WARN store away: orders: Redis cannot be reached or does not serve now; see whether the server runs and takes writes (ECONNREFUSED)",
  "INFO store back: orders after 4.2 s",
  "retry.fleet.grants{retry.fleet.bucket=orders} 4",
  "retry.fleet.outages{retry.fleet.bucket=orders} 1",
  "retry.fleet.store.away{retry.fleet.bucket=orders, unit={store}} 0"
].join("\n")
