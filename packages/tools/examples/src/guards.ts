import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "./scripted.ts"
// #region guards
import { Backoff, Classifier, RateLimiter, Retry, TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"

/** Run once, where the program starts: all calls by the function that it makes share these guards. */
const makeRequest = Effect.gen(function* () {
  const accepted = yield* RateLimiter.acceptRatio({ window: "10 seconds", failures: "rejected" })
  const atOnce = yield* RateLimiter.concurrencyLimit({ limit: 10 })
  const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 20 })
  const policy = {
    rateLimiter: TokenBucket.all(accepted, atOnce),
    classifier: Classifier.always,
    maxAttempts: 3,
    backoff: Backoff.exponential({ base: "100 millis" }),
    bucket
  }
  return <A, E, R>(call: Effect.Effect<A, E, R>) => Retry.retry(call, policy)
})
// #endregion

/** Ten calls a second, for ten seconds before an outage and twenty in it: how many requests the server gets. */
export const program = Effect.gen(function* () {
  const request = yield* makeRequest
  const sent = (answer: Effect.Effect<string, string>, calls: number) =>
    Effect.map(
      timeline([answer], (call) =>
        Effect.replicateEffect(Effect.zipLeft(Effect.exit(request(call)), Effect.sleep("100 millis")), calls)
      ),
      ({ calls }) => calls.length
    )
  return { before: yield* sent(Effect.succeed("page"), 100), outage: yield* sent(Effect.fail("down"), 200) }
}).pipe(Effect.provide(SeededRandom.layer("guards")))

// #region expected
export const expected = { before: 100, outage: 68 }
// #endregion
