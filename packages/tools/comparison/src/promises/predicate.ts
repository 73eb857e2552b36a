import { Busy, NotFound, type Load, type Ways } from "./errors.ts"
// #region theirs
import asyncRetry from "async-retry"
import { ConstantBackoff, handleType, retry } from "cockatiel"
import pRetry, { AbortError } from "p-retry"

const byPRetry = (load: Load) =>
  pRetry(load, { retries: 2, minTimeout: 100, factor: 1, shouldRetry: ({ error }) => error instanceof Busy })

const byAbortError = (load: Load) =>
  pRetry(() => load().catch((error) => Promise.reject(error instanceof NotFound ? new AbortError(error) : error)), {
    retries: 2,
    minTimeout: 100,
    factor: 1
  })

const byAsyncRetry = (load: Load) =>
  asyncRetry(
    async (bail) => {
      try {
        return await load()
      } catch (error) {
        if (!(error instanceof NotFound)) throw error
        bail(error)
        return ""
      }
    },
    { retries: 2, minTimeout: 100, factor: 1, randomize: false }
  )

const whenBusy = retry(handleType(Busy), { maxAttempts: 2, backoff: new ConstantBackoff(100) })
const byCockatiel = (load: Load) => whenBusy.execute(load)
// #endregion
// #region ours
import { Backoff, Classifier, Promises, Verdict } from "@effect-retry/core"

const policy = {
  classifier: Classifier.firstOf(
    Classifier.fromClass(Busy, Verdict.throttling),
    Classifier.fromClass(NotFound, Verdict.terminal("there is no such page"))
  ),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "100 millis" })
}

const ours = (load: Load) => Promises.retry(load, policy)
// #endregion

export const ways: Ways = {
  "p-retry": byPRetry,
  "p-retry, `AbortError`": byAbortError,
  "async-retry": byAsyncRetry,
  cockatiel: byCockatiel,
  ours
}
