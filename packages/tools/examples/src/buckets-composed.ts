import { timeline } from "./scripted.ts"
// #region composed
import { Backoff, Classifier, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Context, Data, Effect, Layer } from "effect"

class Unavailable extends Data.TaggedError("Unavailable") {}

/** A retry is granted by the budget of its host and by that of the program, or not at all. */
const bucket = Effect.zipWith(
  TokenBucket.keyed({
    bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 3 }),
    maxKeys: 100,
    idleTimeToLive: "10 minutes"
  }),
  TokenBucket.successRatio({ ratio: 0.1, capacity: 5 }),
  (perHost, whole) => TokenBucket.all(perHost, whole)
)

/** No attempt during a pause that the server asked for, and at most ten at a time. */
const rateLimiter = Effect.zipWith(
  RateLimiter.serverPause({ atMost: "1 minute" }),
  RateLimiter.concurrencyLimit({ limit: 10 }),
  (pause, limit) => TokenBucket.all(pause, limit)
)

class Budget extends Context.Tag("app/Budget")<Budget, TokenBucket.TokenBucket>() {}
class Limiter extends Context.Tag("app/Limiter")<Limiter, TokenBucket.TokenBucket>() {}

const request = <A, R>(host: string, call: Effect.Effect<A, Unavailable, R>) =>
  Retry.retry(call, {
    rateLimiter: Limiter,
    classifier: Classifier.fromTags({ Unavailable: Verdict.server }),
    maxAttempts: 4,
    backoff: Backoff.constant({ delay: "1 second" }),
    bucket: Budget
  }).pipe(Effect.provideService(TokenBucket.Key, host))

const live = Layer.merge(Layer.effect(Budget, bucket), Layer.effect(Limiter, rateLimiter))
// #endregion

const callsTo = (host: string) =>
  Effect.map(
    timeline([Effect.fail(new Unavailable())], (call) => request(host, call)),
    ({ calls }) => calls.length
  )

export const program = Effect.provide(Effect.all([callsTo("a"), callsTo("a"), callsTo("b"), callsTo("b")]), live)

/** Host a spends its three tokens; host b gets the two that the program has left. */
// #region expected
export const expected = [4, 1, 3, 1]
// #endregion
