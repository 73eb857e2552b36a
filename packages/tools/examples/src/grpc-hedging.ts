// #region hedging
import { Classifier } from "@effect-retry/core"
import { Hedging, Throttle } from "@effect-retry/grpc"
import { Effect } from "effect"

// The bucket is made once, and shared by all calls to the service.
const hedged = Effect.map(
  Throttle.make({ maxTokens: 10, tokenRatio: 0.1 }),
  (bucket) => (search: (attempt: number) => Effect.Effect<string, Error>) =>
    Hedging.run(search, { classifier: Classifier.always, maxAttempts: 3, hedgingDelay: "200 millis", bucket })
)
// #endregion

import { Clock } from "effect"

export const program = Effect.gen(function* () {
  const startedAt: Array<number> = []
  const interrupted: Array<number> = []
  const run = yield* hedged
  const answer = yield* run((attempt) =>
    Effect.gen(function* () {
      startedAt.push(yield* Clock.currentTimeMillis)
      yield* Effect.sleep(attempt === 1 ? "5 seconds" : "50 millis")
      return `attempt ${attempt}`
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted.push(attempt))))
  )
  return { answer, startedAt, interrupted, answeredAt: yield* Clock.currentTimeMillis }
})

export const expected = { answer: "attempt 2", startedAt: [0, 200], interrupted: [1], answeredAt: 250 }
