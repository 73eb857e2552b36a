import { FetchHttpClient, HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { ResumableUpload } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Runtime } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

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
})
