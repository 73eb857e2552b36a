/**
 * A bucket of one's own: five tokens, a token per retry, and nothing comes back by itself.
 */
import { Backoff, Classifier, Retry, RetryBucket } from "@effect-retry/core"
import { Effect, Layer, Option, SubscriptionRef } from "effect"

// #region layer
export const layer = Layer.effect(
  RetryBucket.Default,
  Effect.map(SubscriptionRef.make(5), (tokens) => ({
    take: () => SubscriptionRef.modify(tokens, (n) => (n > 0 ? [Option.some(1), n - 1] : [Option.none(), n])),
    giveBack: (cost) => SubscriptionRef.update(tokens, (n) => n + cost),
    ended: () => Effect.void,
    level: tokens
  }))
)
// #endregion

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: RetryBucket.Default
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
