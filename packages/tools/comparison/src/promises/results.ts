import type { Load, Ways } from "./errors.ts"
// #region theirs
import { ConstantBackoff, handleWhenResult, retry } from "cockatiel"

const whilePending = retry(
  handleWhenResult((state) => state === "pending"),
  { maxAttempts: 2, backoff: new ConstantBackoff(100) }
)
const byCockatiel = (load: Load) => whilePending.execute(load)
// #endregion
// #region ours
import { Backoff, Classifier, Promises, Verdict } from "@effect-retry/core"

const ours = (load: Load) =>
  Promises.retry(load, {
    classifier: Classifier.never,
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "100 millis" }),
    result: (state) => (state === "pending" ? Verdict.transient : Verdict.noOpinion)
  })
// #endregion

export const ways: Ways = { cockatiel: byCockatiel, ours }
