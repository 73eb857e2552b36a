// #region client
import { TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as NodeRedis from "@effect-retry/fleet/NodeRedis"
import { Effect, Layer } from "effect"

const bucket = Layer.scoped(
  TokenBucket.RetryBucket,
  RedisBucket.quota({ name: "orders", capacity: 70, refillPerSecond: 1 }).pipe(
    Effect.map(TokenBucket.failClosed({ within: "1 second" }))
  )
)

/** A connection of its own, which is closed with the layer; `rediss://` for TLS. */
const orders = (url: string) => Layer.provide(bucket, NodeRedis.layer({ url }))
// #endregion

import { Backoff, Classifier, Retry } from "@effect-retry/core"
import * as Redis from "@effect-retry/servers/Redis"
import * as SlowClock from "@effect-retry/servers/SlowClock"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 10,
  backoff: Backoff.constant({ delay: "10 millis" }),
  bucket: TokenBucket.RetryBucket
}

export const program = Effect.gen(function* () {
  const { host, port } = yield* Redis.start()
  const stopped = Effect.flip(Retry.orStopped(Effect.fail("down"), policy))
  const { attempts, reason } = yield* Effect.provide(stopped, orders(`redis://${host}:${port}`))
  return [attempts, reason._tag]
}).pipe(Effect.scoped, SlowClock.run)

export const live = true

/** Five retries of 14 tokens each. */
export const expected = [6, "BucketEmpty"]
