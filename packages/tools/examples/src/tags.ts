// #region tags
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Context, Effect, Layer } from "effect"

class Reads extends Context.Tag("app/Reads")<Reads, TokenBucket.TokenBucket>() {}
class Writes extends Context.Tag("app/Writes")<Writes, TokenBucket.TokenBucket>() {}

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.constant({ delay: "1 second" })
}

const read = Retry.orStopped(Effect.fail("no answer"), { ...policy, bucket: Reads })
const write = Retry.orStopped(Effect.fail("no answer"), { ...policy, bucket: Writes })

const both: Effect.Effect<readonly [Retry.RetryStopped<string>, Retry.RetryStopped<string>], never, Reads | Writes> =
  Effect.all([Effect.flip(read), Effect.flip(write)])

const buckets = Layer.mergeAll(
  Layer.effect(Reads, TokenBucket.successRatio({ ratio: 0.2, capacity: 10 })),
  Layer.succeed(Writes, TokenBucket.empty)
)

const funded = Effect.provide(both, buckets)
// #endregion

export const program = Effect.map(funded, (stops) => stops.map(({ attempts, reason }) => [attempts, reason._tag]))

export const expected = [
  [4, "AttemptsSpent"],
  [1, "BucketEmpty"]
]
