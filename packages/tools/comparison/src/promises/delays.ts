import type { Load, Ways } from "./errors.ts"
// #region theirs
import asyncRetry from "async-retry"
import { ExponentialBackoff, handleAll, noJitterGenerator, retry } from "cockatiel"
import pRetry from "p-retry"

const options = { retries: 4, factor: 2, minTimeout: 100, maxTimeout: 500, randomize: false }

const byPRetry = (load: Load) => pRetry(load, options)

const byAsyncRetry = (load: Load) => asyncRetry(load, options)

const policy = retry(handleAll, {
  maxAttempts: 4,
  backoff: new ExponentialBackoff({ initialDelay: 100, maxDelay: 500, generator: noJitterGenerator })
})
const byCockatiel = (load: Load) => policy.execute(load)
// #endregion
// #region ours
import { Backoff, Classifier, Promises } from "@effect-retry/core"

const growing = {
  classifier: Classifier.always,
  maxAttempts: 5,
  backoff: Backoff.exponential({ base: "100 millis", factor: 2 }).pipe(Backoff.capped("500 millis"))
}

const ours = (load: Load) => Promises.retry(load, growing)
// #endregion

export const ways: Ways = { "p-retry": byPRetry, "async-retry": byAsyncRetry, cockatiel: byCockatiel, ours }
