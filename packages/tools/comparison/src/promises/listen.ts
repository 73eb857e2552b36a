import type { Load } from "./errors.ts"
// #region theirs
import asyncRetry from "async-retry"
import { ConstantBackoff, handleAll, retry } from "cockatiel"
import pRetry from "p-retry"

type Log = (line: string) => void

const byPRetry = (load: Load, log: Log) =>
  pRetry(load, {
    retries: 2,
    minTimeout: 100,
    factor: 1,
    onFailedAttempt: ({ attemptNumber, retriesLeft }) => log(`attempt ${attemptNumber} failed, ${retriesLeft} left`)
  })

const byAsyncRetry = (load: Load, log: Log) =>
  asyncRetry(load, {
    retries: 2,
    minTimeout: 100,
    factor: 1,
    randomize: false,
    onRetry: (_, attempt) => log(`attempt ${attempt} failed`)
  })

const byCockatiel = (load: Load, log: Log) => {
  const policy = retry(handleAll, { maxAttempts: 2, backoff: new ConstantBackoff(100) })
  policy.onRetry(({ attempt, delay }) => log(`attempt ${attempt} failed, again in ${delay} ms`))
  policy.onGiveUp(() => log("gave up"))
  return policy.execute(load)
}
// #endregion
// #region ours
import { Backoff, Classifier, Promises } from "@effect-retry/core"
import { Duration } from "effect"

const ours = (load: Load, log: Log) =>
  Promises.retry(load, {
    classifier: Classifier.always,
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "100 millis" }),
    observe: [
      (event) => {
        if (event._tag === "RetryScheduled") {
          log(`attempt ${event.attempt} failed, again in ${Duration.toMillis(event.delay)} ms`)
        }
        if (event._tag === "GaveUp") log(`gave up: ${event.reason._tag}`)
      }
    ]
  })
// #endregion

export const ways: Readonly<Record<string, (load: Load, log: Log) => Promise<unknown>>> = {
  "p-retry": byPRetry,
  "async-retry": byAsyncRetry,
  cockatiel: byCockatiel,
  ours
}
