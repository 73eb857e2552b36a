import { SeededRandom } from "@effect-retry/testing"
// #region example
import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect, Random } from "effect"

class Busy extends Data.TaggedError("Busy") {}
const call = Effect.flatMap(Random.nextBoolean, (up) => (up ? Effect.succeed("answer") : Effect.fail(new Busy())))

const { capped, exponential, jittered, within } = Backoff
const backoff = exponential({ base: "50 millis" }).pipe(
  capped("2 seconds"),
  jittered(Jitter.full),
  within("10 seconds")
)

export const answer = Retry.retry(call, {
  classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
  maxAttempts: 5,
  backoff
})
// #endregion

const waited = Effect.map(Effect.timed(answer satisfies Effect.Effect<string, Busy>), ([passed, outcome]) => ({
  outcome,
  passed: passed.toString()
}))

/** Down, down, up, with a jitter of 0.5 after each failure. */
const chance = SeededRandom.layerFixed([0.1, 0.5, 0.1, 0.5, 0.9])

export const program = Effect.provide(waited, chance)

export const expected = { outcome: "answer", passed: "Duration(75ms)" }
