import { SeededRandom } from "@effect-retry/testing"
import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data } from "effect"

class Lost extends Data.TaggedError("Lost") {}

const reconnect = {
  classifier: Classifier.fromTags({ Lost: Verdict.transient }),
  maxAttempts: Infinity,
  backoff: Backoff.fromDelays([0]).pipe(
    Backoff.andThen(Backoff.exponential({ base: "500 millis" })),
    Backoff.capped("30 seconds"),
    Backoff.jittered(Jitter.equal),
    Backoff.resetAfter("1 minute")
  )
}
// #endregion

const refused = Effect.fail(new Lost())
const lostAfterAnHour = Effect.fail(new Lost()).pipe(Effect.delay("1 hour"))

export const program = timeline(
  [refused, refused, refused, lostAfterAnHour, refused, Effect.succeed("closed by us")],
  Retry.retry(reconnect)
).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  calls: [0, 0, 375, 1125, 3_601_125, 3_601_500],
  outcome: "closed by us"
}
