// #region promise
import { AttemptTimeout, Backoff, Classifier, Promises, TokenBucket, Verdict } from "@effect-retry/core"
import { Effect } from "effect"

class Busy extends Error {}

const policy = {
  attemptTimeout: AttemptTimeout.constant("5 seconds"),
  classifier: Classifier.fromClass(Busy, Verdict.throttling),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 milli" }),
  bucket: Effect.runSync(TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }))
}

/** An `async` function, called with the number of the attempt and an `AbortSignal` of its own. */
const page = (load: (attempt: Promises.Attempt) => Promise<string>, signal?: AbortSignal) =>
  Promises.retry(load, policy, { signal })
// #endregion

/** Runs on the live clock, as every promise does. */
export const live = true

export const program = Effect.promise(async () => {
  const third = await page(async ({ number }) => {
    if (number < 3) throw new Busy()
    return `attempt ${number}`
  })
  const rejected = await page(async () => {
    throw new TypeError("not retryable")
  }).catch((error: unknown) => String(error))
  const controller = new AbortController()
  const aborted = page(({ signal }) => {
    controller.abort("no longer needed")
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
  }, controller.signal).catch((reason: unknown) => reason)
  return { third, rejected, aborted: await aborted }
})

export const expected = { third: "attempt 3", rejected: "TypeError: not retryable", aborted: "no longer needed" }
