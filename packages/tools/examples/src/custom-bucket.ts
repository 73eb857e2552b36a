/**
 * A bucket of one's own: five tokens, a token per retry, and nothing comes back by itself.
 */
import { Backoff, Classifier, Retry } from "@effect-retry/core"
// #region layer
import { TokenBucket } from "@effect-retry/core"
import { Effect, Layer, Option, Ref } from "effect"

export const layer = Layer.effect(
  TokenBucket.RetryBucket,
  Effect.map(Ref.make(5), (tokens) => {
    const grant: TokenBucket.Grant = { tokens: 1, refund: Ref.update(tokens, (n) => n + 1) }
    return {
      acquire: () => Ref.modify(tokens, (n) => (n > 0 ? [Option.some(grant), n - 1] : [Option.none(), n])),
      record: () => Effect.void,
      level: Ref.get(tokens)
    }
  })
)
// #endregion

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: TokenBucket.RetryBucket
}

/** Two operations in an outage share the five tokens: the first makes three retries, the second the two that are left. */
export const program = Effect.replicateEffect(Effect.flip(Retry.orStopped(Effect.fail("down"), policy)), 2).pipe(
  Effect.map((stops) => stops.map(({ attempts, reason }) => [attempts, reason._tag])),
  Effect.provide(layer)
)

export const expected = [
  [4, "AttemptsSpent"],
  [3, "BucketEmpty"]
]
