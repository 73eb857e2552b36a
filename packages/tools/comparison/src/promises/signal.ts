import type { Load } from "./errors.ts"
// #region theirs
import { ConstantBackoff, handleAll, retry } from "cockatiel"
import pRetry from "p-retry"

const byPRetry = (load: Load, signal: AbortSignal) => pRetry(load, { retries: 2, minTimeout: 100, factor: 1, signal })

const policy = retry(handleAll, { maxAttempts: 2, backoff: new ConstantBackoff(100) })
const byCockatiel = (load: Load, signal: AbortSignal) => policy.execute(load, signal)
// #endregion
// #region ours
import { Backoff, Classifier, Promises } from "@effect-retry/core"

const patient = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "100 millis" })
}

/** Every attempt has a signal of its own as well: `({ signal }) => fetch(url, { signal })`. */
const ours = (load: Load, signal: AbortSignal) => Promises.retry(load, patient, { signal })
// #endregion

export const ways: Readonly<Record<string, (load: Load, signal: AbortSignal) => Promise<unknown>>> = {
  "p-retry": byPRetry,
  cockatiel: byCockatiel,
  ours
}
