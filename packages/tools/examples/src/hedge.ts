// #region hedge
import { Backoff, Classifier, Deadline, Hedge, Jitter, Retry, TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"

const makeSearch = Effect.gen(function* () {
  // One bucket pays for hedges and for retries: together they add at most a tenth to the load.
  const bucket = yield* TokenBucket.requestRatio({ ratio: 0.1 })
  const p95 = yield* Hedge.percentile({ at: 0.95 })
  return <A, E, R>(query: Effect.Effect<A, E, R>) =>
    query.pipe(
      Hedge.hedge({ name: "search", classifier: Classifier.always, maxAttempts: 2, delay: p95, bucket }),
      Retry.retry({
        name: "search",
        classifier: Classifier.always,
        maxAttempts: 3,
        backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.full)),
        deadline: Deadline.refuse("5 seconds"),
        bucket
      })
    )
})
// #endregion

import { Clock, Ref } from "effect"

/** Sixty queries that take 20 milliseconds, and one that hangs at its first attempt. */
export const program = Effect.gen(function* () {
  const search = yield* makeSearch
  const calls = yield* Ref.make(0)
  const query = Effect.flatMap(
    Ref.updateAndGet(calls, (n) => n + 1),
    (call) => Effect.as(Effect.sleep(call === 61 ? "1 minute" : "20 millis"), call)
  )
  yield* Effect.replicateEffect(search(query), 60)
  const began = yield* Clock.currentTimeMillis
  const answer = yield* search(query)
  return { answer, tookMillis: (yield* Clock.currentTimeMillis) - began }
})

export const expected = { answer: 62, tookMillis: 41 }
