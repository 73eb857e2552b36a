import { SeededRandom } from "@effect-retry/testing"
import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Curve, Deadline, Retry, Verdict } from "@effect-retry/core"
import { Data } from "effect"

class RowChanged extends Data.TaggedError("RowChanged") {}
class NotAllowed extends Data.TaggedError("NotAllowed") {}

const contendedRow = {
  classifier: Classifier.fromTags<RowChanged | NotAllowed>({ RowChanged: Verdict.transient }),
  maxAttempts: 10,
  backoff: Backoff.fromCurve(Curve.decorrelated({ base: "10 millis" })).pipe(Backoff.capped("200 millis")),
  deadline: Deadline.refuse("1 second")
}
// #endregion

const lost = Effect.fail<RowChanged | NotAllowed>(new RowChanged())

export const program = Effect.all({
  third: timeline([lost, lost, Effect.succeed("written")], Retry.retry(contendedRow)),
  refused: timeline([lost, Effect.fail(new NotAllowed())], Retry.retry(contendedRow))
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  third: { calls: [0, 20, 55], outcome: "written" },
  refused: { calls: [0, 20], outcome: new NotAllowed() }
}
