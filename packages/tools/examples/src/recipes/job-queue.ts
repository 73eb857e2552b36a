import { SeededRandom } from "@effect-retry/testing"
import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Classic, Classifier, Retry } from "@effect-retry/core"

const celeryTask = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Classic.celery({ factor: 1, maximum: "10 minutes", jitter: true })
}
// #endregion

export const program = timeline([Effect.fail("no worker")], Retry.retry(celeryTask)).pipe(
  Effect.provide(SeededRandom.layerFixed([0.5, 0.9, 0.1]))
)

export const expected = { calls: [0, 1000, 3000, 3000], outcome: "no worker" }
