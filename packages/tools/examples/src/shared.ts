// #region layer
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Effect, Layer } from "effect"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: TokenBucket.RetryBucket
}

const layer = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 5 }))

const attempts = Effect.fail("down").pipe(
  Retry.orStopped(policy),
  Effect.catchTag("RetryStopped", (stopped) => Effect.succeed(stopped.attempts))
)

const one = Effect.provide(Effect.all([attempts, attempts]), layer)
const two = Effect.all([Effect.provide(attempts, layer), Effect.provide(attempts, layer)])
// #endregion

export const program = Effect.all({ one, two })

// #region expected
export const expected = { one: [4, 3], two: [4, 4] }
// #endregion
