import { Clock, Fiber } from "effect"
// #region policy
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Effect, Layer } from "effect"

const sync = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: TokenBucket.RetryBucket
}

const budget = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 4 }))

/** Looks once a second, and ends below half of the budget. */
const isLow = Effect.flatMap(TokenBucket.RetryBucket, ({ level }) =>
  Effect.repeat(Effect.delay(level, "1 second"), { until: (tokens) => tokens < 2 })
)
// #endregion

export const program = Effect.gen(function* () {
  const alarm = yield* Effect.fork(Effect.zip(isLow, Clock.currentTimeMillis))
  const { level } = yield* TokenBucket.RetryBucket
  const full = yield* level
  yield* Effect.exit(Retry.retry(Effect.fail("down"), sync))
  const [seen, atMillis] = yield* Fiber.join(alarm)
  return { full, seen, atMillis, left: yield* level }
}).pipe(Effect.provide(budget))

// #region expected
export const expected = { full: 4, seen: 1, atMillis: 2000, left: 1 }
// #endregion
