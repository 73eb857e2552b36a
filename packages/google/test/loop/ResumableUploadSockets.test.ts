import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { ResumableUpload, StorageDownload, StorageRetry } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Runtime, Stream } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Emulator from "../emulator/Emulator.ts"
import { policy } from "../conformance/Library.ts"

/** What a server sends of the answer that it never ends: nothing, or the beginning of a body. */
const phases = [
  ["the start", 1, undefined],
  ["a chunk", 2, undefined],
  ["the body of an answer", 2, 308],
  ["the body of the object", 2, 200]
] as const

/** Answers every request before the given one, which it never answers to its end. */
const server = (request: number, status: number | undefined) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    const [reached, closed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const done = (of: Deferred.Deferred<void>) => Runtime.runSync(runtime)(Deferred.succeed(of, undefined))
    let requests = 0
    const listening = Http.createServer((asked, answer) => {
      requests += 1
      const isLast = requests === request
      if (isLast) asked.socket.once("close", () => done(closed))
      asked.resume().on("end", () => {
        if (!isLast) return void answer.writeHead(200, { location: "/session?upload_id=secret" }).end()
        if (status !== undefined) answer.writeHead(status, { "content-length": "9" }).write("{")
        done(reached)
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void listening.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.async<void>((resume) => {
          listening.close(() => resume(Effect.void))
          listening.closeAllConnections()
        })
    )
    return { reached, closed, endpoint: `http://127.0.0.1:${(listening.address() as AddressInfo).port}` }
  })

describe.each([
  ["fetch", FetchHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici],
  ["node", NodeHttpClient.layer]
])("ResumableUpload.run over %s", (_, layer) => {
  it.scopedLive.each(phases)("closes its connection when it is interrupted in %s", ([, request, status]) =>
    Effect.gen(function* () {
      const { closed, endpoint, reached } = yield* server(request, status)
      const upload = ResumableUpload.run(yield* HttpClient.HttpClient, {
        start: ResumableUpload.startRequest({ bucket: "photos", name: "cat", endpoint }),
        source: ResumableUpload.fromBytes(new Uint8Array(1000))
      })
      const fiber = yield* Effect.fork(upload)
      yield* Deferred.await(reached)
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      yield* Deferred.await(closed)
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive.each(["return-503", "return-broken-stream-final-chunk-after-0B", "apply-then-reset-connection"])(
    "writes an object of 0 bytes, and reads it, under %s",
    (instruction) =>
      Effect.gen(function* () {
        const { remaining, retryTest, state, url: endpoint } = yield* Emulator.start({ buckets: ["photos"] })
        const client = yield* HttpClient.HttpClient
        const { id } = retryTest({ "storage.objects.insert": ["return-503", instruction] })
        const uploaded = yield* ResumableUpload.run(
          HttpClient.mapRequest(client, HttpClientRequest.setHeader("x-retry-test-id", id)),
          {
            start: ResumableUpload.startRequest({ bucket: "photos", name: "cat", endpoint, ifGenerationMatch: 0 }),
            source: ResumableUpload.fromBytes(new Uint8Array(0)),
            policy
          }
        )
        expect([uploaded.size, uploaded.verified, uploaded.resource["size"]]).toEqual([0, ["crc32c"], undefined])
        expect([state.written.length, remaining(id).completed]).toEqual([1, true])
        const found: Array<StorageDownload.Verification> = []
        const media = StorageDownload.mediaRequest({ bucket: "photos", name: "cat", endpoint })
        const bytes = StorageDownload.stream(StorageRetry.withRetry(client, policy), media, {
          report: (verification) => Effect.sync(() => found.push(verification))
        })
        expect(yield* Stream.runCount(bytes)).toBe(0)
        expect(found.map(({ _tag }) => _tag)).toEqual(["Verified"])
      }).pipe(Effect.provide(layer))
  )
})
