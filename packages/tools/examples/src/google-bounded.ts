// #region bounded
import { AttemptTimeout, Deadline, Observe, TokenBucket } from "@effect-retry/core"
import { StorageRetry } from "@effect-retry/google"
import { HttpClient } from "@effect/platform"
import { Effect } from "effect"

const makeStorage = Effect.gen(function* () {
  // All requests of this client share the budget: a tenth of the successes, and 100 to begin with.
  const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 100 })
  return StorageRetry.withRetry(yield* HttpClient.HttpClient, {
    name: "photos",
    observe: [Observe.logs()],
    attemptTimeout: AttemptTimeout.constant("10 seconds"),
    deadline: Deadline.refuse("50 seconds"),
    bucket
  })
})
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { Duration, Logger } from "effect"

/** Never answers. */
const silent = HttpClient.make(() => Effect.never)

export const program = Effect.gen(function* () {
  const storage = yield* makeStorage
  const [took, { _tag }] = yield* Effect.timed(
    Effect.flip(storage.get("https://storage.googleapis.com/storage/v1/b/photos/o/cat"))
  )
  return { _tag, took: Duration.format(took) }
}).pipe(
  Effect.provideService(HttpClient.HttpClient, silent),
  Effect.provide(SeededRandom.layerConstant(0.5)),
  Effect.provide(Logger.remove(Logger.defaultLogger))
)

export const expected = { _tag: "RequestError", took: "50s" }
