// #region limiter
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { Effect, Layer } from "effect"

/** An account may send 20 requests per second and 5 at once, whichever process sends them. */
const account = Layer.scoped(
  TokenBucket.RetryBucket,
  RedisBucket.fixed({ name: "account", rate: 20, burst: 5 }).pipe(
    Effect.flatMap(RedisBucket.orLocalShare({ within: "5 seconds" }))
  )
)

/** Asked before every attempt, the first included; an attempt for which there is no token waits for its turn. */
const request = <A, E, R>(send: Effect.Effect<A, E, R>) =>
  Retry.retry(send, {
    rateLimiter: TokenBucket.RetryBucket,
    classifier: Classifier.always,
    maxAttempts: 3,
    backoff: Backoff.exponential({ base: "100 millis" })
  })
// #endregion

import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Redis from "@effect-retry/servers/Redis"
import { Clock } from "effect"

/** Two processes send ten requests each, all at once. */
export const program = Effect.gen(function* () {
  const { host, port } = yield* Redis.start()
  const process = Layer.provide(account, IoRedis.layer({ host, port, within: "5 seconds" }))
  let sent = 0
  const send = Effect.sync(() => void (sent += 1))
  const ten = Effect.all(Effect.replicate(request(send), 10), { concurrency: "unbounded" })
  const beganMillis = yield* Clock.currentTimeMillis
  yield* Effect.all([Effect.provide(ten, process), Effect.provide(ten, process)], { concurrency: 2 })
  const tookMillis = (yield* Clock.currentTimeMillis) - beganMillis
  // Of twenty requests, five are sent at once and the others 50 milliseconds apart.
  return { sent, tookAsLong: tookMillis >= 15 * 50 }
}).pipe(Effect.scoped)

export const live = true

export const expected = { sent: 20, tookAsLong: true }
