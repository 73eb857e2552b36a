import type { Load, Ways } from "./errors.ts"
// #region theirs
import { bulkhead, ConstantBackoff, fallback, handleAll, retry, timeout, TimeoutStrategy, wrap } from "cockatiel"

const guarded = wrap(
  fallback(handleAll, "cached"),
  retry(handleAll, { maxAttempts: 2, backoff: new ConstantBackoff(100) }),
  bulkhead(10, 100),
  timeout(1000, TimeoutStrategy.Aggressive)
)
const byCockatiel = (load: Load) => guarded.execute(load)
// #endregion
// #region ours
import { AttemptTimeout, Backoff, Classifier, Promises, RateLimiter } from "@effect-retry/core"
import { Effect } from "effect"

const policy = {
  rateLimiter: Effect.runSync(RateLimiter.concurrencyLimit({ limit: 10, whenShort: "wait" })),
  attemptTimeout: AttemptTimeout.constant("1 second"),
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "100 millis" })
}

const ours = (load: Load) => Promises.retry(load, policy).catch(() => "cached")
// #endregion

export const ways: Ways = { cockatiel: byCockatiel, ours }
