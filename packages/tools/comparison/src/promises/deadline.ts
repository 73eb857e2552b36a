import type { Load, Ways } from "./errors.ts"
// #region theirs
import asyncRetry from "async-retry"
import pRetry from "p-retry"

const byPRetry = (load: Load) => pRetry(load, { retries: 10, minTimeout: 400, factor: 1, maxRetryTime: 1000 })

const byAsyncRetry = (load: Load) =>
  asyncRetry(load, { retries: 10, minTimeout: 400, factor: 1, randomize: false, maxRetryTime: 1000 })
// #endregion
// #region ours
import { Backoff, Classifier, Deadline, Promises } from "@effect-retry/core"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 11,
  backoff: Backoff.constant({ delay: "400 millis" }),
  deadline: Deadline.refuse("1 second")
}

const ours = (load: Load) => Promises.retry(load, policy)

const shortened = (load: Load) =>
  Promises.retry(load, { ...policy, deadline: Deadline.truncate("1 second", { reserve: "100 millis" }) })
// #endregion

export const ways: Ways = { "p-retry": byPRetry, "async-retry": byAsyncRetry, ours, "ours, shortened": shortened }
