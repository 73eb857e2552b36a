/**
 * Bodies that break on real connections, read inside the attempts. Time is real here; counts and states are what is looked
 * at, never durations.
 */
import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff } from "@effect-retry/core"
import { Download, HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Fiber, Schema, Stream } from "effect"
import * as Clients from "../support/Clients.ts"
import * as HttpServer from "../support/HttpServer.ts"
import * as SteppedClock from "../support/SteppedClock.ts"

const { serve, until } = HttpServer

const policy = { ...HttpRetry.standard, maxAttempts: 4, backoff: Backoff.constant({ delay: 1 }) }

const withClient =
  (client: Clients.Client) =>
  <A, E>(self: Effect.Effect<A, E, HttpClient.HttpClient>): Effect.Effect<A, E> =>
    Effect.provide(self, client)

const read = HttpClientResponse.schemaBodyJson(Schema.Struct({ id: Schema.Number }))
const text = '{"id":1}'

const executed = (url: string, attemptTimeout?: AttemptTimeout.AttemptTimeout) =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    HttpRetry.execute(HttpRetry.withRetry(client, { ...policy, attemptTimeout }), HttpClientRequest.get(url), read)
  )

const whole = ({ response }: HttpServer.Exchange) => void response.end(text)

/** What becomes of the first two bodies. */
const breaks: ReadonlyArray<readonly [of: string, answer: (exchange: HttpServer.Exchange) => void]> = [
  [
    "is cut off after a few bytes",
    ({ request, response }) => {
      response.writeHead(200, { "content-length": "8" })
      response.write("{", () => request.socket.destroy())
    }
  ],
  [
    "is reset after a few bytes",
    ({ request, response }) => {
      response.writeHead(200, { "content-length": "8" })
      response.write("{", () => request.socket.resetAndDestroy())
    }
  ],
  [
    "is shorter than its length",
    ({ request }) => void request.socket.end("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{")
  ],
  [
    "is cut off between two chunks",
    ({ request }) => void request.socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n")
  ],
  [
    "is cut off in the middle of a chunk",
    ({ request }) => void request.socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{")
  ]
]

describe.each(Clients.all)("HttpRetry.execute over %s", (_, client) => {
  it.scopedLive.each(breaks)("sends again when a body %s", ([, answer]) =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) => (exchange.count < 3 ? answer(exchange) : whole(exchange)))
      expect(yield* withClient(client)(executed(server.url))).toEqual({ id: 1 })
      expect(server.methods).toEqual(["GET", "GET", "GET"])
    })
  )

  it.scopedLive("sends again when a body stalls until the timeout of its attempt, and closes its connection", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) => {
        if (exchange.count > 1) return whole(exchange)
        exchange.response.writeHead(200, { "content-length": "8" })
        exchange.response.write("{")
      })
      yield* withClient(client)(
        Effect.gen(function* () {
          expect(yield* executed(server.url, AttemptTimeout.constant("200 millis"))).toEqual({ id: 1 })
          yield* until(() => server.open() <= 1)
        })
      )
      expect(server.methods).toHaveLength(2)
    }).pipe(SteppedClock.inSteps)
  )

  it.scopedLive("closes the connection when it is interrupted in the middle of a read", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ response }) => {
        response.writeHead(200, { "content-length": "8" })
        response.write("{")
      })
      yield* withClient(client)(
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(executed(server.url))
          yield* until(() => server.methods.length === 1)
          expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
          yield* until(() => server.open() === 0)
        })
      )
    })
  )
})

describe.each(Clients.narrow)("HttpRetry.execute over one connection of %s", (_, client) => {
  it.scopedLive("goes on after readers that failed, and uses the connection again if they had read the body", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) => {
        if (exchange.count === 1) return void exchange.response.end("[]")
        if (exchange.count !== 3) return whole(exchange)
        exchange.response.writeHead(200, { "content-length": "2000000" })
        exchange.response.write(Buffer.alloc(1_000_000))
      })
      yield* withClient(client)(
        Effect.gen(function* () {
          const retried = HttpRetry.withRetry(yield* HttpClient.HttpClient, policy)
          const unread = HttpRetry.execute(retried, HttpClientRequest.get(server.url), () => Effect.fail("unwanted"))
          expect(yield* Effect.flip(executed(server.url))).toMatchObject({ _tag: "ParseError" })
          expect(yield* executed(server.url)).toEqual({ id: 1 })
          expect(yield* Effect.flip(unread)).toBe("unwanted")
          expect(yield* executed(server.url)).toEqual({ id: 1 })
        })
      )
      expect(server.connections).toEqual([1, 1, 1, 2])
    })
  )
})

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, place) => (place * 7 + (place >> 8)) % 256))

/** Breaks off after a third, and after another one. */
const file = ({ count, request, response }: HttpServer.Exchange): void => {
  const [, first] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? []
  const start = Number(first ?? 0)
  const range = { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
  const isSame = request.headers["if-match"] === '"v1"'
  response.writeHead(first === undefined ? 200 : isSame ? 206 : 412, {
    etag: '"v1"',
    "content-length": String(bytes.length - start),
    ...(first === undefined ? {} : range)
  })
  if (count > 2) return void response.end(bytes.subarray(start))
  response.write(bytes.subarray(start, start + 100_000), () => request.socket.destroy())
}

const downloaded = (url: string) =>
  Stream.unwrap(
    Effect.map(HttpClient.HttpClient, (client) =>
      Download.stream(HttpRetry.withRetry(client, policy), HttpClientRequest.get(url))
    )
  )

describe.each(Clients.all)("Download.stream over %s", (_, client) => {
  it.scopedLive("goes on when the body breaks", () =>
    Effect.gen(function* () {
      const asked: Array<string | undefined> = []
      const encodings: Array<unknown> = []
      const server = yield* serve((exchange) => {
        asked.push(exchange.request.headers.range)
        encodings.push(exchange.request.headers["accept-encoding"])
        file(exchange)
      })
      const chunks = yield* Stream.runCollect(downloaded(server.url)).pipe(withClient(client))
      expect(Buffer.concat([...chunks]).equals(bytes)).toBe(true)
      expect(asked[0]).toBeUndefined()
      expect(asked).toHaveLength(3)
      // Of a request with a range fetch itself asks for no coding.
      expect(encodings.every((encoding) => /^identity(, identity)?$/.test(String(encoding)))).toBe(true)
    })
  )

  it.scopedLive("closes the connection when enough was taken", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ response }) => {
        response.writeHead(200, { "content-length": "100000000" })
        response.write(Buffer.alloc(1_000_000))
      })
      yield* withClient(client)(
        Effect.gen(function* () {
          const taken = yield* Stream.runCollect(Stream.take(downloaded(server.url), 2))
          expect(Chunk.size(taken)).toBe(2)
          yield* until(() => server.open() === 0)
        })
      )
    })
  )
})
