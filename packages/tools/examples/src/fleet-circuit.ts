// #region circuit
import { Backoff, CircuitBreaker, Classifier, Retry } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { Effect } from "effect"

/** One circuit for all processes that use this name. While Redis is away, each process has its own. */
const payments = RedisBucket.circuitBreaker({
  name: "payments",
  opensAt: { consecutive: 3 },
  openFor: "25 seconds",
  onChange: (state) => Effect.logWarning(`payments: the circuit is ${state._tag}`)
})

const pay = (breaker: CircuitBreaker.CircuitBreaker, call: Effect.Effect<string, "down">) =>
  Retry.retry(call, {
    rateLimiter: breaker,
    classifier: Classifier.always,
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "10 millis" })
  })
// #endregion

import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Redis from "@effect-retry/servers/Redis"
import * as SlowClock from "@effect-retry/servers/SlowClock"
import { Logger, LogLevel } from "effect"

/** A process has its own connection and its own breaker. */
const process = (redis: Redis.Server, self: (breaker: CircuitBreaker.CircuitBreaker) => Effect.Effect<string>) =>
  Effect.provide(Effect.flatMap(payments, self), IoRedis.layer({ host: redis.host, port: redis.port }))

const ending = Effect.match({
  onFailure: (error: Retry.AttemptRefused | "down") => (error === "down" ? error : `refused: ${error.refusal?.state}`),
  onSuccess: (text: string) => text
})

/** What a second process finds after a call of the first one has failed three times. */
export const program = Effect.gen(function* () {
  const redis = yield* Redis.start()
  const first = yield* process(redis, (breaker) => ending(pay(breaker, Effect.fail("down"))))
  const second = yield* process(redis, (breaker) => ending(pay(breaker, Effect.succeed("paid"))))
  return { first, second }
}).pipe(Effect.scoped, SlowClock.run, Logger.withMinimumLogLevel(LogLevel.None))

export const live = true

// #region expected
export const expected = { first: "down", second: "refused: Open" }
// #endregion
