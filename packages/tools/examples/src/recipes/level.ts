import { Clock, Fiber, Option } from "effect"
// #region policy
import { Backoff, Classifier, Retry, RetryBucket } from "@effect-retry/core"
import { Effect, Stream } from "effect"

const sync = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: RetryBucket.Default
}

const budget = RetryBucket.layerSuccessRatio(RetryBucket.Default, { ratio: 0.1, capacity: 4 })

/** Ends with the first level below half of the budget. */
const isLow = Effect.flatMap(RetryBucket.Default, ({ level }) =>
  Stream.runHead(Stream.filter(level.changes, (tokens) => tokens < 2))
)
// #endregion

export const program = Effect.gen(function* () {
  const alarm = yield* Effect.fork(Effect.zip(isLow, Clock.currentTimeMillis))
  const level = (yield* RetryBucket.Default).level.get
  const full = yield* level
  yield* Effect.exit(Retry.retry(Effect.fail("down"), sync))
  const [seen, atMillis] = yield* Fiber.join(alarm)
  return { full, seen: Option.getOrNull(seen), atMillis, left: yield* level }
}).pipe(Effect.provide(budget))

// #region expected
export const expected = { full: 4, seen: 1, atMillis: 2000, left: 1 }
// #endregion
