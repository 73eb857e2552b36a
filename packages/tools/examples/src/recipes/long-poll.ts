import { SeededRandom } from "@effect-retry/testing"
import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { AttemptTimeout, Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data, Option } from "effect"

class Unreachable extends Data.TaggedError("Unreachable") {}

const longPoll = {
  attemptTimeout: AttemptTimeout.constant("35 seconds"),
  classifier: Classifier.fromTags({ Unreachable: Verdict.server }),
  result: (message: Option.Option<string>) => (Option.isNone(message) ? Verdict.timeout : Verdict.noOpinion),
  maxAttempts: Infinity,
  backoff: Backoff.byKind({
    Timeout: Backoff.constant({ delay: 0 }),
    orElse: Backoff.exponential({ base: "1 second" }).pipe(Backoff.capped("1 minute"), Backoff.jittered(Jitter.equal))
  }).pipe(Backoff.resetAfter("20 seconds"))
}
// #endregion

const quiet = Effect.succeedNone.pipe(Effect.delay("30 seconds"))
const unreachable = Effect.fail(new Unreachable())

export const program = timeline(
  [quiet, Effect.never, unreachable, unreachable, quiet, unreachable, Effect.succeedSome("message")],
  Retry.retry(longPoll)
).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  calls: [0, 30_000, 65_000, 66_500, 69_500, 99_500, 101_000],
  outcome: Option.some("message")
}
