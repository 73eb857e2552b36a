// #region layer
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import { Effect, Layer } from "effect"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "50 millis" }),
  bucket: TokenBucket.RetryBucket
}

/** 70 tokens, and one more per second, for all processes together; a retry costs 14. */
const bucket = RedisBucket.quota({ name: "orders", capacity: 70, refillPerSecond: 1 })

/** Logs an outage of Redis once; `onFailure` is called for every call that failed in it. */
const choice = TokenBucket.failClosed({
  within: "1 second",
  onFailure: (cause) => Effect.logDebug("no answer from the store of tokens", cause)
})

const orders = (redis: { readonly host: string; readonly port: number }) =>
  Layer.scoped(TokenBucket.RetryBucket, Effect.map(bucket, choice)).pipe(Layer.provide(IoRedis.layer(redis)))
// #endregion

import * as Redis from "@effect-retry/servers/Redis"
import * as SlowClock from "@effect-retry/servers/SlowClock"

const attempts = Effect.map(Effect.flip(Retry.orStopped(Effect.fail("down"), policy)), ({ attempts }) => attempts)

/** Each layer that is built has a connection and a bucket of its own, as a process has. */
export const program = Effect.gen(function* () {
  const { host, port } = yield* Redis.start()
  const process = orders({ host, port })
  const first = yield* Effect.provide(attempts, process)
  const second = yield* Effect.provide(attempts, process)
  return { first, second }
}).pipe(Effect.scoped, SlowClock.run)

export const live = true

// #region expected
export const expected = { first: 4, second: 3 }
// #endregion
