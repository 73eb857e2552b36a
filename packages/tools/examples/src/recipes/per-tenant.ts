import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Data, Effect, Layer } from "effect"

class Unavailable extends Data.TaggedError("Unavailable") {}

const forTenant = <A, R>(tenant: string, query: Effect.Effect<A, Unavailable, R>) =>
  Retry.retry(query, {
    classifier: Classifier.fromTags({ Unavailable: Verdict.server }),
    maxAttempts: 4,
    backoff: Backoff.constant({ delay: "1 second" }),
    bucket: TokenBucket.RetryBucket
  }).pipe(Effect.provideService(TokenBucket.Key, tenant))

const tenantBudgets = Layer.effect(
  TokenBucket.RetryBucket,
  TokenBucket.keyed({
    bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 4, floorPerSecond: 0.1 }),
    maxKeys: 1000,
    idleTimeToLive: "10 minutes"
  })
)
// #endregion

const callsOf = (tenant: string) =>
  Effect.map(
    timeline([Effect.fail(new Unavailable())], (call) => forTenant(tenant, call)),
    ({ calls }) => calls.length
  )

export const program = Effect.all([callsOf("a"), callsOf("a"), callsOf("a"), callsOf("b")]).pipe(
  Effect.provide(tenantBudgets)
)

/** Tenant a spends its four retries; tenant b has four of its own. */
export const expected = [4, 2, 1, 4]
