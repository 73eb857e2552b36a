import type { Load, Ways } from "./errors.ts"
// #region theirs
import asyncRetry from "async-retry"
import { handleAll, retry } from "cockatiel"
import pRetry from "p-retry"

const byPRetry = (load: Load) => pRetry(load, { retries: 2 })

const byAsyncRetry = (load: Load) => asyncRetry(load, { retries: 2, randomize: false })

const twice = retry(handleAll, { maxAttempts: 2 })
const byCockatiel = (load: Load) => twice.execute(load)
// #endregion
// #region ours
import { Backoff, Classifier, Promises } from "@effect-retry/core"

const three = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "1 second" })
}

const ours = (load: Load) => Promises.retry(load, three)
// #endregion

export const ways: Ways = { "p-retry": byPRetry, "async-retry": byAsyncRetry, cockatiel: byCockatiel, ours }
