import { SeededRandom } from "@effect-retry/testing"
import { Clock, Exit } from "effect"
// #region policy
import { Backoff, Classifier, Jitter, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Data, Effect, Layer } from "effect"

class SlowDown extends Data.TaggedError("SlowDown") {}

const paced = {
  rateLimiter: TokenBucket.RetryBucket,
  classifier: Classifier.fromTags({ SlowDown: Verdict.throttling }),
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "1 second" }).pipe(Backoff.capped("20 seconds"), Backoff.jittered(Jitter.full))
}

const upload = <A, R>(request: Effect.Effect<A, SlowDown, R>) => Retry.retry(request, paced)

const oneServer = Layer.effect(TokenBucket.RetryBucket, RateLimiter.adaptive({ maxWait: "30 seconds" }))
// #endregion

/** A server that accepts ten requests in each second. */
const makeServer = Effect.sync(() => {
  const counts = { sent: 0, throttled: 0 }
  const accepted = new Map<number, number>()
  const request = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const second = Math.floor(now / 1000)
    const before = accepted.get(second) ?? 0
    counts.sent += 1
    if (before < 10) {
      accepted.set(second, before + 1)
      return Effect.void
    }
    counts.throttled += 1
    return Effect.fail(new SlowDown())
  })
  return { counts, request }
})

/** Thirty requests per second for twenty seconds: what the server has seen of them, and how many were answered in the end. */
const twentySeconds = Effect.gen(function* () {
  const { counts, request } = yield* makeServer
  const started = Array.from({ length: 600 }, (_, i) => Effect.delay(Effect.exit(upload(request)), (i * 1000) / 30))
  const exits = yield* Effect.all(started, { concurrency: "unbounded" })
  return { ...counts, answered: exits.filter(Exit.isSuccess).length }
})

export const program = Effect.all({
  adaptive: Effect.provide(twentySeconds, oneServer),
  unlimited: Effect.provideService(twentySeconds, TokenBucket.RetryBucket, TokenBucket.unlimited)
}).pipe(Effect.provide(SeededRandom.layer("adaptive")))

// #region expected
export const expected = {
  adaptive: { sent: 466, throttled: 19, answered: 447 },
  unlimited: { sent: 1541, throttled: 1319, answered: 222 }
}
// #endregion
