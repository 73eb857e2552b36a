import * as Emulator from "../../../google/test/emulator/Emulator.ts"
import { printingTo } from "./printed.ts"
// #region upload
import { ResumableUpload } from "@effect-retry/google"
import { HttpClient } from "@effect/platform"
import { Console, Effect, Stream } from "effect"

const kib = 1024

const upload = (endpoint: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    // Any client that signs its requests. It does not retry; the policy of the upload does.
    const client = yield* HttpClient.HttpClient
    const progress = ResumableUpload.stream(client, {
      start: ResumableUpload.startRequest({ endpoint, bucket: "photos", name: "cat", ifGenerationMatch: 0 }),
      source: ResumableUpload.fromBytes(bytes),
      chunkBytes: 512 * kib
    })
    yield* Stream.runForEach(progress, (event) => {
      switch (event._tag) {
        case "SessionStarted":
          return Console.log("the session has started")
        case "Resumed":
          return Console.log(`goes on at ${event.offset / kib} KiB`)
        case "Acknowledged":
          return Console.log(`the server has ${event.offset / kib} of ${(event.total ?? NaN) / kib} KiB`)
        case "Finished":
          return Console.log(`finished: generation ${event.uploaded.generation}`)
      }
    })
  })
// #endregion

import { FetchHttpClient, HttpClientRequest } from "@effect/platform"
import { SeededRandom } from "@effect-retry/testing"

/** The server breaks off in the second chunk, when it has 768 KiB. */
const faults = { "storage.objects.insert": ["return-503-after-768K"] }

export const program = Effect.gen(function* () {
  const lines: Array<string> = []
  const emulator = yield* Emulator.start({ buckets: ["photos"] })
  const { id } = emulator.retryTest(faults)
  yield* upload(emulator.url, new Uint8Array(1280 * kib)).pipe(
    Effect.updateService(
      HttpClient.HttpClient,
      HttpClient.mapRequest(HttpClientRequest.setHeader("x-retry-test-id", id))
    ),
    Effect.provide(FetchHttpClient.layer),
    printingTo(lines)
  )
  return lines.join("\n").replace(/generation \d+/, "generation 1")
}).pipe(Effect.scoped, Effect.provide(SeededRandom.layerConstant(0.01)))

export const live = true

export const expected = [
  "the session has started",
  "the server has 512 of 1280 KiB",
  "goes on at 768 KiB",
  "finished: generation 1"
].join("\n")
