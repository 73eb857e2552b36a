import { SeededRandom } from "@effect-retry/testing"
import { Exit } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Data, Effect, Layer } from "effect"

class Unavailable extends Data.TaggedError("Unavailable") {}

const request = <A, R>(call: Effect.Effect<A, Unavailable, R>) =>
  Retry.retry(call, {
    rateLimiter: TokenBucket.RetryBucket,
    classifier: Classifier.fromTags({ Unavailable: Verdict.server }),
    maxAttempts: 1,
    backoff: Backoff.fromDelays([])
  })

const oneServer = Layer.effect(
  TokenBucket.RetryBucket,
  RateLimiter.acceptRatio({ window: "10 seconds", maxRejectionProbability: 0.9, failures: "rejected" })
)
// #endregion

const down = Effect.fail(new Unavailable())
const up = Effect.succeed("page")

/** Ten requests per second for so many seconds: how many the server got, and how many it answered. */
const load = (answer: Effect.Effect<string, Unavailable>, seconds: number) =>
  Effect.gen(function* () {
    const { calls, outcome } = yield* timeline([answer], (call) =>
      Effect.replicateEffect(Effect.zipLeft(Effect.exit(request(call)), Effect.sleep("100 millis")), 10 * seconds)
    )
    return { sent: calls.length, answered: outcome.filter(Exit.isSuccess).length }
  })

export const program = Effect.gen(function* () {
  const before = yield* load(up, 20)
  const outage = yield* load(down, 60)
  const recovering = yield* load(up, 30)
  const afterwards = yield* load(up, 20)
  return { before, outage, recovering, afterwards }
}).pipe(Effect.provide(oneServer), Effect.provide(SeededRandom.layer("breaker")))

// #region expected
export const expected = {
  before: { sent: 200, answered: 200 },
  outage: { sent: 131, answered: 0 },
  recovering: { sent: 153, answered: 153 },
  afterwards: { sent: 200, answered: 200 }
}
// #endregion
