/**
 * A rate limiter and a jitter of one's own, and the suites that test them.
 */
// #region pieces
import { Backoff, Classifier, Jitter, Retry, TokenBucket } from "@effect-retry/core"
import { Laws, type Runner, SeededRandom, TokenBucketContract } from "@effect-retry/testing"
import { Effect, Layer, Option, Ref } from "effect"

/** Time that does not change when the wall clock is set. */
const nowMillis = Effect.map(Effect.clock, (clock) => Number(clock.unsafeCurrentTimeNanos()) / 1e6)

/** One attempt a second; one that would have to wait is refused. */
const oneASecond = Layer.effect(
  TokenBucket.RetryBucket,
  Effect.map(Ref.make(-Infinity), (freeAt) => ({
    acquire: () =>
      Effect.flatMap(nowMillis, (now) =>
        Ref.modify(freeAt, (at) =>
          now >= at
            ? [Option.some({ tokens: 1, refund: Ref.set(freeAt, at) }), now + 1000]
            : [Option.none<TokenBucket.Grant>(), at]
        )
      ),
    record: () => Effect.void,
    level: Effect.zipWith(nowMillis, Ref.get(freeAt), (now, at) => (now >= at ? 1 : 0))
  }))
)

/** In the second half of the bound, and rather early in it. */
const early = Jitter.make({
  name: "early",
  interval: (bound) => [bound / 2, bound],
  draw: (bound, u) => (bound / 2) * (1 + u * u)
})
// #endregion

// #region suites
export const suites = (runner: Runner.Runner) => {
  TokenBucketContract.suite(runner, "My rate limiter", oneASecond, { refills: true })
  Laws.jitter(runner, "My jitter", early)
}
// #endregion

const policy = {
  rateLimiter: TokenBucket.RetryBucket,
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.fromDelays(["1 second", "500 millis", "1 second"]).pipe(Backoff.jittered(early))
}

/** The second wait is too short for the rate limiter. */
export const program = Retry.orStopped(Effect.fail("down"), policy).pipe(
  Effect.flip,
  Effect.map(({ attempts, reason }) => [attempts, reason._tag]),
  Effect.provide([oneASecond, SeededRandom.layerConstant(1 - Number.EPSILON)])
)

export const expected = [2, "RateLimiterRefused"]
