import { Busy, type Load, type Ways } from "./errors.ts"
// #region theirs
import { DelegateBackoff, handleType, retry } from "cockatiel"

const obedient = retry(handleType(Busy), {
  maxAttempts: 2,
  backoff: new DelegateBackoff(({ result }) =>
    "error" in result && result.error instanceof Busy && result.error.waitMillis > 0 ? result.error.waitMillis : 100
  )
})
const byCockatiel = (load: Load) => obedient.execute(load)
// #endregion
// #region ours
import { Backoff, Classifier, Hint, Promises, Verdict } from "@effect-retry/core"

const policy = {
  classifier: Classifier.fromClass(Busy, ({ waitMillis }) =>
    Verdict.retryable("Throttling", { hint: waitMillis > 0 ? waitMillis : undefined })
  ),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "100 millis" }),
  hint: Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })
}

const ours = (load: Load) => Promises.retry(load, policy)
// #endregion

export const ways: Ways = { cockatiel: byCockatiel, ours }
