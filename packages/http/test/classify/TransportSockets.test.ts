/**
 * The errors that the platform's clients really fail with, provoked on loopback.
 */
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Verdict } from "@effect-retry/core"
import { HttpClassifier } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Socket } from "node:net"
import { H2CClient } from "undici"
import { type Reason, reasonOf } from "../../src/classify/ClientLine.ts"
import * as Judged from "../support/Judged.ts"
import * as RawServer from "../support/RawServer.ts"

const { judge, standard } = HttpClassifier

const clients: ReadonlyArray<readonly [name: string, layer: Layer.Layer<HttpClient.HttpClient>]> = [
  ["fetch", FetchHttpClient.layer],
  ["node:http", NodeHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici]
]

const failure = (
  url: string,
  layer: Layer.Layer<HttpClient.HttpClient>
): Effect.Effect<HttpClientError.HttpClientError> =>
  HttpClient.HttpClient.pipe(
    Effect.flatMap((client) => client.execute(HttpClientRequest.bodyText(HttpClientRequest.post(url), "a body"))),
    Effect.flatMap((response) => response.text),
    Effect.flip,
    Effect.orDieWith((body) => new Error(`it succeeded: ${body}`)),
    Effect.provide(layer)
  )

type Broken = readonly [name: string, onData: (socket: Socket) => void, judged: string, reason: Reason]

const broken: ReadonlyArray<Broken> = [
  ["reset after the request", (socket) => socket.resetAndDestroy(), "Transient Unknown", "Transport"],
  ["closed after the request", (socket) => socket.end(), "Transient Unknown", "Transport"],
  ["not HTTP", (socket) => socket.end("220 mail.example.com ESMTP\r\n\r\n"), "Transient Unknown", "Transport"],
  ["half of the headers", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le"), "Transient Unknown", "Transport"],
  [
    "half of the body",
    (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"),
    "Transient Unknown",
    "Decode"
  ],
  [
    "half of a chunk",
    (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe"),
    "Transient Unknown",
    "Decode"
  ]
]

describe.each(clients)("HttpClassifier.judge, over %s", (name, layer) => {
  it.live("knows that nothing was sent when no server listens", () =>
    Effect.gen(function* () {
      const port = yield* RawServer.unused
      expect(Judged.words(yield* failure(`http://127.0.0.1:${port}/`, layer))).toBe("Transient NotSent")
      expect(Judged.words(yield* failure(`http://localhost:${port}/`, layer))).toBe("Transient NotSent")
    })
  )

  it.live("knows that nothing was sent to a host without an address", () =>
    Effect.gen(function* () {
      // RFC 6761 keeps this name free of addresses.
      expect(Judged.words(yield* failure("http://no-such-host.invalid/", layer))).toBe("Transient NotSent")
    })
  )

  it.scopedLive.each(broken.map((row) => [...row] as const))(
    "knows nothing of a request whose answer is broken: %s",
    ([, onData, expected, reason]) =>
      Effect.gen(function* () {
        const port = yield* RawServer.raw(onData)
        const error = yield* failure(`http://127.0.0.1:${port}/`, layer)
        expect([Judged.words(error), reasonOf(error)]).toEqual([expected, reason])
      })
  )

  it.scopedLive("is final when the other side speaks no TLS", () =>
    Effect.gen(function* () {
      const port = yield* RawServer.raw((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
      expect(Judged.words(yield* failure(`https://127.0.0.1:${port}/`, layer))).toBe(
        name === "node:http" ? "transport error EPROTO" : "transport error ERR_SSL_WRONG_VERSION_NUMBER"
      )
    })
  )

  it.scopedLive("knows that nothing was sent when the connection was closed before it was secure", () =>
    Effect.gen(function* () {
      const port = yield* RawServer.raw((socket) => socket.end())
      expect(Judged.words(yield* failure(`https://127.0.0.1:${port}/`, layer))).toBe("Transient NotSent")
    })
  )

  it.scopedLive("knows nothing of a request that got no answer in time", () =>
    Effect.gen(function* () {
      const port = yield* RawServer.raw(() => undefined)
      const client = yield* HttpClient.HttpClient
      const error = yield* Effect.flip(Effect.timeout(client.get(`http://127.0.0.1:${port}/`), "50 millis"))
      expect(Judged.words(error)).toBe("Timeout Unknown")
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("reads a status from an answer", () =>
    Effect.gen(function* () {
      const port = yield* RawServer.raw((socket) =>
        socket.end("HTTP/1.1 503 Busy\r\nX-Should-Retry: False\r\ncontent-length: 0\r\n\r\n")
      )
      const client = yield* HttpClient.HttpClient
      const response = yield* client.get(`http://127.0.0.1:${port}/`)
      expect(Judged.words(response)).toBe("x-should-retry: false")
      const without = HttpClassifier.make({ ...standard.tables, directives: [] })
      expect(judge(without, response, NaN).verdict).toEqual(Verdict.server)
    }).pipe(Effect.provide(layer))
  )
})

describe("HttpClassifier.judge, over HTTP/2", () => {
  const overH2 = (port: number) =>
    Layer.provide(
      NodeHttpClient.layerUndiciWithoutDispatcher,
      Layer.scoped(
        NodeHttpClient.Dispatcher,
        Effect.acquireRelease(
          Effect.sync(() => new H2CClient(`http://127.0.0.1:${port}`)),
          (client) => Effect.promise(() => client.destroy())
        )
      )
    )

  it.scopedLive.each([
    ["REFUSED_STREAM", 7, "Transient NotProcessed"],
    ["ENHANCE_YOUR_CALM", 11, "Throttling Unknown"],
    ["INTERNAL_ERROR", 2, "Transient Unknown"],
    ["CANCEL", 8, "Transient Unknown"]
  ] as const)("knows by the code of a stream whether the request was processed: %s", ([, code, expected]) =>
    Effect.gen(function* () {
      const port = yield* RawServer.endingStreams(code)
      expect(Judged.words(yield* failure(`http://127.0.0.1:${port}/`, overH2(port)))).toBe(expected)
    })
  )
})
