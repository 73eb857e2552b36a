/** What an attempt is given: a signal, if the library has one. */
export type Load = (attempt?: { readonly signal: AbortSignal }) => Promise<string>

// #region theirs
import { ConstantBackoff, handleAll, retry, timeout, TimeoutStrategy, wrap } from "cockatiel"
import pRetry from "p-retry"

const limited = wrap(
  retry(handleAll, { maxAttempts: 2, backoff: new ConstantBackoff(100) }),
  timeout(1000, TimeoutStrategy.Aggressive)
)
const byCockatiel = (load: Load) => limited.execute(load)

/** p-retry has no timeout of its own. */
const byPRetry = (load: Load) =>
  pRetry(
    () =>
      Promise.race([
        load(),
        new Promise<string>((_, reject) => setTimeout(() => reject(new Error("timed out")), 1000))
      ]),
    { retries: 2, minTimeout: 100, factor: 1 }
  )
// #endregion
// #region ours
import { AttemptTimeout, Backoff, Classifier, Promises } from "@effect-retry/core"

const policy = {
  attemptTimeout: AttemptTimeout.constant("1 second"),
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "100 millis" })
}

const ours = (load: Load) => Promises.retry(load, policy)
// #endregion

export const ways: Readonly<Record<string, (load: Load) => Promise<unknown>>> = {
  "p-retry": byPRetry,
  cockatiel: byCockatiel,
  ours
}
