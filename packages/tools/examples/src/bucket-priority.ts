/**
 * Priorities of the operations that share a limit of concurrency.
 */
import { timeline } from "./scripted.ts"
// #region priority
import { Backoff, Classifier, RateLimiter, Retry, TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"

const limiter = RateLimiter.concurrencyLimit({ limit: 1, maxWaiting: 2 })

const request = <A, E>(rateLimiter: TokenBucket.TokenBucket, call: Effect.Effect<A, E>) =>
  Retry.retry(call, {
    rateLimiter,
    classifier: Classifier.always,
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "1 second" })
  })

const sheddable = Effect.provideService(TokenBucket.Priority, "sheddable")
const critical = Effect.provideService(TokenBucket.Priority, "critical")
// #endregion

/** Four requests at once, of a second each, to a server that is sent one at a time. */
export const program = Effect.gen(function* () {
  const rateLimiter = yield* limiter
  const ends: Array<string> = []
  const { calls } = yield* timeline([Effect.sleep("1 second")], (call) => {
    const named = (name: string) =>
      Effect.match(request(rateLimiter, call), {
        onFailure: () => ends.push(`${name} refused`),
        onSuccess: () => ends.push(`${name} done`)
      })
    return Effect.all(
      [named("first"), sheddable(named("prefetch")), sheddable(named("report")), critical(named("checkout"))],
      { concurrency: "unbounded" }
    )
  })
  return { calls, ends }
})

// #region expected
export const expected = {
  calls: [0, 1000, 2000],
  ends: ["report refused", "first done", "checkout done", "prefetch done"]
}
// #endregion
