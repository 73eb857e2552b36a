// #region storage
import { StorageRetry } from "@effect-retry/google"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"

const objects = "https://storage.googleapis.com/storage/v1/b/photos/o"

const photos = Effect.gen(function* () {
  // Any client that signs its requests.
  const storage = StorageRetry.withRetry(yield* HttpClient.HttpClient, StorageRetry.standard)
  const cat = yield* storage.get(`${objects}/cat`)
  // A write is repeated if its precondition lets it be carried out only once.
  const patched = yield* HttpClientRequest.patch(`${objects}/cat?ifMetagenerationMatch=3`).pipe(
    HttpClientRequest.bodyUnsafeJson({ metadata: { colour: "grey" } }),
    storage.execute
  )
  return [cat.status, patched.status]
})
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { HttpClientResponse } from "@effect/platform"
import { Clock } from "effect"

const statuses = [503, 200, 429, 200]

const server = HttpClient.make((request) =>
  Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(null, { status: statuses.shift() ?? 500 })))
)

export const program = Effect.gen(function* () {
  return { statuses: yield* photos, millis: yield* Clock.currentTimeMillis }
}).pipe(Effect.provideService(HttpClient.HttpClient, server), Effect.provide(SeededRandom.layerConstant(0.5)))

/** Half of a second before each of the two second attempts. */
export const expected = { statuses: [200, 200], millis: 1000 }
