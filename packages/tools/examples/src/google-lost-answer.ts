import * as Emulator from "../../../google/test/emulator/Emulator.ts"
// #region verified
import { Checksum, LostAnswer, StorageRetry } from "@effect-retry/google"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"

const store = (endpoint: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const { md5 } = Checksum.of(bytes)
    // Any client that signs its requests.
    const storage = (yield* HttpClient.HttpClient).pipe(
      StorageRetry.withRetry({ maxAttempts: 4 }),
      LostAnswer.verified(({ md5Hash }) => md5Hash === md5)
    )
    return yield* HttpClientRequest.post(`${endpoint}/upload/storage/v1/b/photos/o`).pipe(
      HttpClientRequest.setUrlParams({ uploadType: "media", name: "cat", ifGenerationMatch: "0" }),
      HttpClientRequest.bodyUint8Array(bytes, "image/png"),
      storage.execute
    )
  })
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { FetchHttpClient } from "@effect/platform"

/** The server stores the object, and its answer is lost. */
const faults = { "storage.objects.insert": ["apply-then-reset-connection"] }

export const program = Effect.gen(function* () {
  const { requests, retryTest, state, url } = yield* Emulator.start({ buckets: ["photos"] })
  const { id } = retryTest(faults)
  const { status } = yield* store(url, new Uint8Array([1, 2, 3])).pipe(
    Effect.updateService(
      HttpClient.HttpClient,
      HttpClient.mapRequest(HttpClientRequest.setHeader("x-retry-test-id", id))
    ),
    Effect.provide(FetchHttpClient.layer)
  )
  return { status, asked: requests.map(({ method }) => method), generations: state.written.length }
}).pipe(Effect.scoped, Effect.provide(SeededRandom.layerConstant(0.01)))

export const live = true

/** The second insert is refused with 412, and the object is the one that the first has left. */
export const expected = {
  status: 200,
  asked: ["storage.objects.insert", "storage.objects.insert", "storage.objects.get"],
  generations: 1
}
