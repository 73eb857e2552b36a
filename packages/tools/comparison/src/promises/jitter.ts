import type { Load, Ways } from "./errors.ts"
// #region theirs
import asyncRetry from "async-retry"
import { ExponentialBackoff, halfJitterGenerator, handleAll, retry } from "cockatiel"
import pRetry from "p-retry"

const byPRetry = (load: Load) => pRetry(load, { retries: 1, minTimeout: 100, randomize: true })

const byAsyncRetry = (load: Load) => asyncRetry(load, { retries: 1, minTimeout: 100 })

const policy = retry(handleAll, {
  maxAttempts: 1,
  backoff: new ExponentialBackoff({ initialDelay: 200, generator: halfJitterGenerator })
})
const byCockatiel = (load: Load) => policy.execute(load)
// #endregion
// #region ours
import { Backoff, Classifier, Jitter, Promises } from "@effect-retry/core"

const spread = {
  classifier: Classifier.always,
  maxAttempts: 2,
  backoff: Backoff.exponential({ base: "200 millis" }).pipe(Backoff.jittered(Jitter.equal))
}

const ours = (load: Load) => Promises.retry(load, spread)
// #endregion

export const ways: Ways = { "p-retry": byPRetry, "async-retry": byAsyncRetry, cockatiel: byCockatiel, ours }
