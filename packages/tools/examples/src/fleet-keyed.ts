// #region keyed
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { Effect, Layer } from "effect"

const forTenant = <A, E, R>(tenant: string, query: Effect.Effect<A, E, R>) =>
  Retry.retry(query, {
    classifier: Classifier.always,
    maxAttempts: 4,
    backoff: Backoff.constant({ delay: "10 millis" }),
    bucket: TokenBucket.RetryBucket
  }).pipe(Effect.provideService(TokenBucket.Key, tenant))

/** A bucket in the store for each tenant: whichever process a request of the tenant reaches, it asks the same one. */
const tenants = Layer.scoped(
  TokenBucket.RetryBucket,
  TokenBucket.keyed({
    bucket: RedisBucket.quota({ name: "tenants", capacity: 70, refillPerSecond: 1 }).pipe(
      Effect.map(TokenBucket.failClosed({ within: "1 second" }))
    ),
    maxKeys: 1000,
    idleTimeToLive: "10 minutes"
  })
)
// #endregion

import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Redis from "@effect-retry/servers/Redis"
import * as SlowClock from "@effect-retry/servers/SlowClock"

const callsOf = (tenant: string) => {
  let calls = 0
  const query = Effect.suspend(() => {
    calls += 1
    return Effect.fail("down")
  })
  return Effect.map(Effect.ignore(forTenant(tenant, query)), () => calls)
}

export const program = Effect.gen(function* () {
  const { host, port } = yield* Redis.start()
  const process = Layer.provide(tenants, IoRedis.layer({ host, port }))
  const first = yield* Effect.provide(callsOf("a"), process)
  const second = yield* Effect.provide(Effect.all([callsOf("a"), callsOf("b")]), process)
  return { first: { a: first }, second: { a: second[0], b: second[1] } }
}).pipe(Effect.scoped, SlowClock.run)

export const live = true

// #region expected
export const expected = { first: { a: 4 }, second: { a: 3, b: 4 } }
// #endregion
