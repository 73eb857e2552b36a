// #region share
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { Effect, Layer } from "effect"

/** While the store is away, each of n processes has a bucket of `70 / n` tokens and `1 / n` per second. */
const orders = Layer.scoped(
  TokenBucket.RetryBucket,
  RedisBucket.quota({ name: "orders", capacity: 70, refillPerSecond: 1 }).pipe(
    Effect.flatMap(
      RedisBucket.orLocalShare({
        within: "1 second",
        onFailure: (cause) => Effect.logWarning("the store of tokens failed", cause)
      })
    )
  )
)
// #endregion

import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Redis from "@effect-retry/servers/Redis"
import * as SlowClock from "@effect-retry/servers/SlowClock"
import { Logger, LogLevel } from "effect"

const attempts = (maxAttempts: number) =>
  Effect.map(
    Effect.flip(
      Retry.orStopped(Effect.fail("down"), {
        classifier: Classifier.always,
        maxAttempts,
        backoff: Backoff.constant({ delay: "10 millis" }),
        bucket: TokenBucket.RetryBucket
      })
    ),
    ({ attempts }) => attempts
  )

/** One process makes two retries out of the bucket in the store, and then five out of its share, which is all of it. */
export const program = Effect.gen(function* () {
  const redis = yield* Redis.start()
  const operations = Effect.all({ shared: attempts(3), whileAway: Effect.zipRight(redis.kill, attempts(10)) })
  return yield* Effect.provide(operations, Layer.provide(orders, IoRedis.layer({ host: redis.host, port: redis.port })))
}).pipe(Effect.scoped, SlowClock.run, Logger.withMinimumLogLevel(LogLevel.None))

export const live = true

// #region expected
export const expected = { shared: 3, whileAway: 6 }
// #endregion
