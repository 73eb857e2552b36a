/**
 * A limit of concurrency that is learned from latency.
 */
// #region adaptive
import { Backoff, Classifier, RateLimiter, Retry, TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"

const limiter = RateLimiter.adaptiveConcurrency({ maxWaiting: 100 })

const request = <A, E>(rateLimiter: TokenBucket.TokenBucket, call: Effect.Effect<A, E>) =>
  Retry.retry(call, {
    rateLimiter,
    classifier: Classifier.always,
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "1 second" })
  })
// #endregion

const callers = 60
const callsOfEach = 8

/** A server that works on ten requests at full speed, and on more of them as much more slowly. */
const through = (limit: Effect.Effect<TokenBucket.TokenBucket>) =>
  Effect.gen(function* () {
    const rateLimiter = yield* limit
    const served: Array<{ readonly millis: number; readonly atOnce: number }> = []
    let atOnce = 0
    const call = Effect.suspend(() => {
      atOnce += 1
      const seen = { millis: Math.max(100, 10 * atOnce), atOnce }
      return Effect.zipRight(
        Effect.sleep(seen.millis),
        Effect.sync(() => {
          served.push(seen)
          atOnce -= 1
        })
      )
    })
    const caller = Effect.replicateEffect(request(rateLimiter, call), callsOfEach)
    yield* Effect.replicateEffect(caller, callers, { concurrency: "unbounded" })
    const last = served.slice(served.length / 2)
    return {
      slowestMillis: Math.max(...last.map(({ millis }) => millis)),
      mostAtOnce: Math.max(...last.map(({ atOnce }) => atOnce))
    }
  })

/** The slowest answer and the most requests at once, in the second half of 480 calls. */
export const program = Effect.gen(function* () {
  return {
    unlimited: yield* through(Effect.succeed(TokenBucket.unlimited)),
    fixed: yield* through(RateLimiter.concurrencyLimit({ limit: 10 })),
    adaptive: yield* through(limiter)
  }
})

// #region expected
export const expected = {
  unlimited: { slowestMillis: 600, mostAtOnce: 60 },
  fixed: { slowestMillis: 100, mostAtOnce: 10 },
  adaptive: { slowestMillis: 220, mostAtOnce: 22 }
}
// #endregion
