import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "./scripted.ts"
// #region jitter
import { Backoff, Classifier, Jitter, Retry } from "@effect-retry/core"
import { Effect } from "effect"

/** Mostly long waits: the square root moves the draw towards the bound. */
const late = Jitter.make({
  name: "late",
  interval: (boundMillis) => [0, boundMillis],
  draw: (boundMillis, u) => boundMillis * Math.sqrt(u)
})

const policy = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "1 second" }).pipe(Backoff.jittered(late))
}
// #endregion

export const program = timeline([Effect.fail("down")], Retry.retry(policy)).pipe(
  Effect.provide(SeededRandom.layerFixed([0.25, 0.81]))
)

export const expected = { calls: [0, 500, 2300], outcome: "down" }
