import { timeline } from "./scripted.ts"
// #region share
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Effect, Layer } from "effect"

/** One budget for all operations; each takes at most a fifth of the tokens that it finds, rounded up. */
const shared = TokenBucket.operationShare({
  bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 20 }),
  share: 0.2
})

const forever = {
  classifier: Classifier.always,
  maxAttempts: Infinity,
  backoff: Backoff.constant({ delay: "1 second" })
}

const layer = Layer.effect(TokenBucket.RetryBucket, shared)

const operation = <A, R>(call: Effect.Effect<A, string, R>) =>
  Retry.retry(call, { ...forever, bucket: TokenBucket.RetryBucket })
// #endregion

const calls = Effect.map(timeline([Effect.fail("down")], operation), ({ calls }) => calls.length)

export const program = Effect.provide(Effect.replicateEffect(calls, 4), layer)

/** The emptier the budget, the less an operation takes of it. */
// #region expected
export const expected = [5, 5, 4, 3]
// #endregion
