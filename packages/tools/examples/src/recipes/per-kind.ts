import { SeededRandom } from "@effect-retry/testing"
import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data } from "effect"

class ConnectionReset extends Data.TaggedError("ConnectionReset") {}
class SlowDown extends Data.TaggedError("SlowDown") {}

const perKind = {
  classifier: Classifier.fromTags({ ConnectionReset: Verdict.transient, SlowDown: Verdict.throttling }),
  maxAttempts: 6,
  backoff: Backoff.byKind({
    Throttling: Backoff.exponential({ base: "1 second" }),
    orElse: Backoff.exponential({ base: "50 millis" })
  }).pipe(Backoff.capped("20 seconds"), Backoff.jittered(Jitter.full))
}
// #endregion

type Failed = ConnectionReset | SlowDown
const reset = Effect.fail<Failed>(new ConnectionReset())
const slowDown = Effect.fail<Failed>(new SlowDown())

export const program = timeline(
  [reset, slowDown, slowDown, reset, Effect.succeed("stored")],
  Retry.retry(perKind)
).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = { calls: [0, 25, 1025, 3025, 3225], outcome: "stored" }
