import * as Emulator from "../../../google/test/emulator/Emulator.ts"
import { printingTo } from "./printed.ts"
// #region download
import { StorageDownload, StorageRetry } from "@effect-retry/google"
import { HttpClient } from "@effect/platform"
import { Console, Effect, Stream } from "effect"

const download = (endpoint: string) =>
  Effect.map(HttpClient.HttpClient, (client) =>
    StorageDownload.stream(
      // Any client that signs its requests.
      StorageRetry.withRetry(client, StorageRetry.standard),
      StorageDownload.mediaRequest({ endpoint, bucket: "photos", name: "cat" }),
      {
        report: (verification) =>
          verification._tag === "Verified"
            ? Console.log(`the same bytes by ${verification.algorithms.join()}`)
            : Console.log(`not compared: ${verification.why}`)
      }
    )
  ).pipe(Stream.unwrap)
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { FetchHttpClient, HttpClientRequest } from "@effect/platform"

const kib = 1024
const cat = Uint8Array.from({ length: 640 * kib }, (_, i) => i % 251)

/** The server breaks off after 256 KiB. */
const faults = { "storage.objects.get": ["return-broken-stream-after-256K"] }

export const program = Effect.gen(function* () {
  const lines: Array<string> = []
  const { requests, retryTest, url } = yield* Emulator.start({ buckets: ["photos"] })
  const { id } = retryTest(faults)
  const client = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.setHeader("x-retry-test-id", id))
  const insert = HttpClientRequest.post(`${url}/upload/storage/v1/b/photos/o?uploadType=media&name=cat`)
  yield* client.execute(HttpClientRequest.bodyUint8Array(insert, cat))
  const received = yield* download(url).pipe(
    Stream.runFold(0, (sum, bytes) => sum + bytes.length),
    Effect.provideService(HttpClient.HttpClient, client),
    printingTo(lines)
  )
  const asked = requests.slice(1).map(({ headers, query }) => [headers["range"], query.has("generation")])
  return { received, asked, lines }
}).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer), Effect.provide(SeededRandom.layerConstant(0.01)))

export const live = true

/** The rest is asked for of the generation that the first answer has named. */
export const expected = {
  received: 640 * kib,
  asked: [
    [undefined, false],
    [`bytes=${256 * kib}-`, true]
  ],
  lines: ["the same bytes by crc32c"]
}
