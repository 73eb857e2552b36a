import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "./scripted.ts"
// #region curve
import { Backoff, Classifier, Curve, Retry } from "@effect-retry/core"
import { Effect } from "effect"

/** Half of 1, 3, 7, 15 ... seconds, as gaxios waits. */
const gaxios = Curve.fromFunction("gaxios", (n) => (1000 * (2 ** n - 1)) / 2)

/** The published walk of decorrelated jitter, which clamps after its draw. */
const walk = Curve.make({
  name: "clamped walk",
  draws: true,
  initial: 100,
  delayMillis: (_, last, capMillis, u) => Math.min(100 + u * (3 * last - 100), capMillis),
  next: (delayMillis) => delayMillis,
  intervalMillis: (n, capMillis) => [0, Math.min(100 * 3 ** n, capMillis)]
})

const policy = {
  classifier: Classifier.always,
  maxAttempts: 6,
  backoff: Backoff.fromCurve(gaxios).pipe(
    Backoff.take(2),
    Backoff.andThen(Backoff.fromCurve(walk)),
    Backoff.capped("1 second")
  )
}
// #endregion

export const program = timeline([Effect.fail("down")], Retry.retry(policy)).pipe(
  Effect.provide(SeededRandom.layerFixed([0.5, 0.5, 0.5, 1 - Number.EPSILON, 1 - Number.EPSILON]))
)

export const expected = { calls: [0, 500, 1500, 1700, 2300, 3300], outcome: "down" }
