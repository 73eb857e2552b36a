// #region shadow
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { Effect, Layer, Metric } from "effect"

const refused = Metric.counter("orders_would_be_refused")

/** Takes tokens as it will later, but refuses nothing: neither attempts over the limit, nor any while the store is away. */
const trial = Layer.scoped(
  TokenBucket.RetryBucket,
  RedisBucket.quota({ name: "orders", capacity: 28, refillPerSecond: 1 }).pipe(
    Effect.map(
      TokenBucket.failOpen({ within: "1 second", onFailure: (cause) => Effect.logWarning("no store", cause) })
    ),
    Effect.map(TokenBucket.shadow({ onRefused: () => Metric.increment(refused) }))
  )
)
// #endregion

import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Redis from "@effect-retry/servers/Redis"
import * as SlowClock from "@effect-retry/servers/SlowClock"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.constant({ delay: "10 millis" }),
  bucket: TokenBucket.RetryBucket
}

export const program = Effect.gen(function* () {
  const { host, port } = yield* Redis.start()
  // Metrics are global: others may have counted before.
  const { count } = yield* Metric.value(refused)
  const layer = Layer.provide(trial, IoRedis.layer({ host, port }))
  const stopped = yield* Effect.provide(Effect.flip(Retry.orStopped(Effect.fail("down"), policy)), layer)
  return { attempts: stopped.attempts, refused: (yield* Metric.value(refused)).count - count }
}).pipe(Effect.scoped, SlowClock.run)

export const live = true

// #region expected
export const expected = { attempts: 4, refused: 1 }
// #endregion
