// #region test
import { Backoff, Classifier, Jitter, Retry } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Duration, Effect } from "effect"

const hourly = {
  classifier: Classifier.always,
  maxAttempts: 25,
  backoff: Backoff.constant({ delay: "1 hour" }).pipe(Backoff.jittered(Jitter.proportional({ ratio: 0.1 })))
}

export const program = Effect.gen(function* () {
  const outcome = yield* Effect.merge(Retry.retry(Effect.fail("still down"), hourly))
  return { outcome, passed: Duration.format(yield* VirtualClock.now) }
}).pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = { outcome: "still down", passed: "1d" }
// #endregion
