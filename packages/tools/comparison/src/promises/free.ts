import { Busy, type Load, type Ways } from "./errors.ts"
// #region theirs
import pRetry from "p-retry"

const byPRetry = (load: Load) =>
  pRetry(load, {
    retries: 2,
    minTimeout: 100,
    factor: 1,
    shouldConsumeRetry: ({ error }) => !(error instanceof Busy)
  })
// #endregion
// #region ours
import { Backoff, Classifier, Promises, TokenBucket, Verdict } from "@effect-retry/core"
import { Effect } from "effect"

const policy = {
  classifier: Classifier.firstOf(Classifier.fromClass(Busy, Verdict.throttling), Classifier.always),
  maxAttempts: Infinity,
  backoff: Backoff.constant({ delay: "100 millis" })
}

/** Two retries for each operation, those after `Busy` not counted. */
const two = TokenBucket.quota({ capacity: 2, cost: { Throttling: 0, orElse: 1 } })

const ours = (load: Load) => Promises.retry(load, { ...policy, bucket: Effect.runSync(two) })
// #endregion

export const ways: Ways = { "p-retry": byPRetry, ours }
