/**
 * What happens on real connections. Time is real here; counts and states are what is looked at, never durations.
 */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { AttemptTimeout, Backoff, Retry, TokenBucket } from "@effect-retry/core"
import { Discard, HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import { getEventListeners } from "node:events"
import { Agent } from "undici"
import { reasonOf } from "../../src/classify/ClientLine.ts"
import * as Clients from "../support/Clients.ts"
import * as HttpServer from "../support/HttpServer.ts"
import { gaveUp } from "../support/ScriptedClient.ts"
import * as SteppedClock from "../support/SteppedClock.ts"

const { respond, responding, serve, until } = HttpServer

const policy = { ...HttpRetry.standard, maxAttempts: 4, backoff: Backoff.constant({ delay: 1 }) }

const ok = { status: 200, bytes: 2 }

/** The client's own connections are closed before the server is. */
const withClient =
  (client: Clients.Client) =>
  <A, E>(self: Effect.Effect<A, E, HttpClient.HttpClient>): Effect.Effect<A, E> =>
    Effect.provide(self, client)

const retried = (own: HttpRetry.Preset<AttemptTimeout.AttemptTimedOut> = policy) =>
  Effect.map(HttpClient.HttpClient, HttpRetry.withRetry(own))

const post = (url: string) => HttpClientRequest.bodyText(HttpClientRequest.post(url), "a body")

describe.each(Clients.all)("HttpRetry.withRetry over %s", (_, client) => {
  it.scopedLive("sends again after connections that were reset before the request was read", () =>
    Effect.gen(function* () {
      const server = yield* serve(responding(ok), {
        onConnection: (socket, count) => void (count < 3 && socket.resetAndDestroy())
      })
      const response = yield* Effect.flatMap(retried(), (client) => client.get(server.url)).pipe(withClient(client))
      expect([response.status, server.connections]).toEqual([200, [3]])
    })
  )

  it.scopedLive.each([
    ["with blanks around it", " 120 \t"],
    ["twice", ["120", "1"]],
    ["twice, as dates", ["Fri, 20 Nov 2026 11:02:00 GMT", "Fri, 20 Nov 2026 11:00:01 GMT"]]
  ] as const)("reads a Retry-After that comes %s", ([, lines]) =>
    Effect.gen(function* () {
      const server = yield* serve(({ response }) => {
        response.setHeader("retry-after", lines)
        response.setHeader("date", "Fri, 20 Nov 2026 11:00:00 GMT")
        response.writeHead(429).end()
      })
      const { observe, reasons } = gaveUp()
      const response = yield* Effect.flatMap(retried({ ...policy, observe }), (client) => client.get(server.url)).pipe(
        withClient(client)
      )
      expect([response.status, server.methods]).toEqual([429, ["GET"]])
      expect(reasons.map(Retry.format)).toEqual([expect.stringContaining("2m")])
    })
  )

  it.scopedLive("sends again after connections that were reset later, but not what may not be repeated", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        exchange.count < 3 ? exchange.request.socket.resetAndDestroy() : respond(exchange, ok)
      )
      yield* Effect.gen(function* () {
        const client = yield* retried()
        expect((yield* client.get(server.url)).status).toBe(200)
        expect(server.methods).toEqual(["GET", "GET", "GET"])
      }).pipe(withClient(client))
      const other = yield* serve(({ request }) => request.socket.resetAndDestroy())
      const { observe, reasons } = gaveUp()
      const error = yield* Effect.flatMap(retried({ ...policy, observe }), (client) =>
        client.execute(post(other.url))
      ).pipe(withClient(client), Effect.flip)
      expect([error._tag, other.methods]).toEqual(["RequestError", ["POST"]])
      expect(reasons.map(Retry.format)).toEqual(["not retryable: POST without Idempotency-Key"])
    })
  )

  it.scopedLive("sends again after half of the headers, and leaves half of a body to its reader", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) => {
        if (exchange.count < 3) return void exchange.request.socket.end("HTTP/1.1 200 OK\r\ncontent-le")
        exchange.response.writeHead(200, { "content-length": "100" })
        exchange.response.write("half", () => exchange.request.socket.destroy())
      })
      yield* Effect.gen(function* () {
        const response = yield* Effect.flatMap(retried(), (client) => client.get(server.url))
        expect(response.status).toBe(200)
        const error = yield* Effect.flip(response.text)
        expect([error._tag, reasonOf(error), server.methods.length]).toEqual(["ResponseError", "Decode", 3])
      }).pipe(withClient(client))
    })
  )

  it.scopedLive("gives up on an answer that does not come, and closes its connection", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ count, response }) => {
        // At first nothing at all, then headers that never end.
        if (count === 2) response.socket?.write("HTTP/1.1 200 OK\r\nx-slow: ")
      })
      const timed = { ...policy, maxAttempts: 3, attemptTimeout: AttemptTimeout.constant("100 millis") }
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip(Effect.flatMap(retried(timed), (client) => client.get(server.url)))
        expect(error._tag === "RequestError" && error.cause).toBeInstanceOf(AttemptTimeout.AttemptTimedOut)
        expect(server.methods.length).toBe(3)
        yield* until(() => server.open() === 0)
      }).pipe(withClient(client))
    }).pipe(SteppedClock.inSteps)
  )

  it.scopedLive("sends again after a slow answer and a timeout", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) => void (exchange.count > 1 && respond(exchange, ok)))
      const timed = { ...policy, attemptTimeout: AttemptTimeout.constant("100 millis") }
      const response = yield* Effect.flatMap(retried(timed), (client) => client.get(server.url)).pipe(
        withClient(client)
      )
      expect([response.status, server.methods.length]).toEqual([200, 2])
    }).pipe(SteppedClock.inSteps)
  )

  it.scopedLive("sends again after a kept connection was closed at the wrong moment", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        exchange.count === 2 ? exchange.request.socket.destroy() : respond(exchange, ok)
      )
      yield* Effect.gen(function* () {
        const client = yield* retried()
        yield* Effect.flatMap(client.get(server.url), (response) => response.text)
        yield* Effect.flatMap(client.get(server.url), (response) => response.text)
        expect([server.methods.length, new Set(server.connections).size > 1]).toEqual([3, true])
      }).pipe(withClient(client))
    })
  )

  it.scopedLive("leaves nothing behind when it is interrupted while it waits", () =>
    Effect.gen(function* () {
      const before = HttpServer.handles()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* serve(responding({ status: 503, bytes: 300_000 }))
          const patient = { ...policy, backoff: Backoff.constant({ delay: "1 hour" }) }
          const { events, observe } = gaveUp()
          yield* Effect.gen(function* () {
            const client = yield* retried({ ...patient, observe })
            const fiber = yield* Effect.fork(client.get(server.url))
            yield* until(() => events.some(({ _tag }) => _tag === "RetryScheduled"))
            expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
            yield* until(() => server.open() === 0)
          }).pipe(withClient(client))
          expect(server.methods.length).toBe(1)
        })
      )
      yield* until(() => HttpServer.handles() <= before)
    })
  )

  it.scopedLive("leaves nothing behind when it is interrupted in a request", () =>
    Effect.gen(function* () {
      const before = HttpServer.handles()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* serve((exchange) => void (exchange.count === 1 && respond(exchange, { status: 503 })))
          yield* Effect.gen(function* () {
            const client = yield* retried()
            const fiber = yield* Effect.fork(client.get(server.url))
            yield* until(() => server.methods.length === 2)
            expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
            yield* until(() => server.open() === 0)
          }).pipe(withClient(client))
        })
      )
      yield* until(() => HttpServer.handles() <= before)
    })
  )

  it.scopedLive("leaves nothing behind when the reader of the body is interrupted", () =>
    Effect.gen(function* () {
      const before = HttpServer.handles()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* serve(({ count, response }) => {
            if (count === 1) return void response.writeHead(503).end()
            response.writeHead(200, { "content-length": "100" })
            response.write("half")
          })
          yield* Effect.gen(function* () {
            const client = yield* retried()
            let chunks = 0
            const reading = Effect.flatMap(client.get(server.url), (response) =>
              Stream.runForEach(response.stream, () => Effect.sync(() => void chunks++))
            )
            const fiber = yield* Effect.fork(reading)
            yield* until(() => chunks > 0)
            expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
            yield* until(() => server.open() === 0)
          }).pipe(withClient(client))
        })
      )
      yield* until(() => HttpServer.handles() <= before)
    })
  )
})

describe.each(Clients.narrow)("HttpRetry.withRetry over one connection of %s", (_, client) => {
  const large = 2_000_000

  it.scopedLive.each([
    ["announced", { status: 503, bytes: large }],
    ["in chunks", { status: 503, bytes: large, chunked: true }],
    ["announced, of a throttle", { status: 429, bytes: large }],
    ["in chunks, of a throttle", { status: 429, bytes: large, chunked: true }],
    ["short, of a throttle", { status: 429, bytes: 1_000 }],
    ["short, in chunks, of a throttle", { status: 429, bytes: 1_000, chunked: true }]
  ] as const)("never waits for the body of an error: %s", ([, busy]) =>
    Effect.gen(function* () {
      const server = yield* serve(responding(busy, busy, busy, ok))
      yield* Effect.gen(function* () {
        const client = yield* retried()
        const response = yield* client.get(server.url)
        expect([response.status, server.methods.length]).toEqual([200, 4])
        expect(yield* Effect.map(response.arrayBuffer, ({ byteLength }) => byteLength)).toBe(2)
        yield* until(() => server.open() < 3)
      }).pipe(withClient(client))
      yield* until(() => server.open() === 0)
    })
  )

  it.scopedLive("never waits for a body that does not end, in a scope or not", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) => {
        if (exchange.count % 2 === 0) return respond(exchange, ok)
        exchange.response.writeHead(429, { "content-length": "100" })
        exchange.response.write("half")
      })
      yield* Effect.gen(function* () {
        const client = yield* retried({ ...policy, drain: { ...Discard.standard, within: "20 millis" } })
        expect(yield* Effect.flatMap(client.get(server.url), (response) => response.text)).toHaveLength(2)
        const scoped = Effect.flatMap(HttpClient.withScope(client).get(server.url), (response) => response.text)
        expect(yield* Effect.scoped(scoped)).toHaveLength(2)
      }).pipe(withClient(client))
      expect(server.methods.length).toBe(4)
    })
  )
})

describe("HttpRetry.withRetry under a scope", () => {
  // Requests of `fetch` listen until they are collected, and it says so to Node: nothing can be done about these.
  it.scopedLive.each([
    ["node:http", Clients.nodeHttp({ keepAlive: true })],
    ["undici", Clients.undici(() => new Agent())]
  ] as const)("leaves no listener of an attempt on the signal of a scope: %s", ([, client]) =>
    Effect.gen(function* () {
      const signals = new Set<AbortSignal>()
      const addListener = AbortSignal.prototype.addEventListener
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          AbortSignal.prototype.addEventListener = function (
            this: AbortSignal,
            ...parameters: Parameters<typeof addListener>
          ) {
            signals.add(this)
            return addListener.apply(this, parameters)
          } as typeof addListener
        }),
        () => Effect.sync(() => Reflect.deleteProperty(AbortSignal.prototype, "addEventListener"))
      )
      const server = yield* serve(responding({ status: 503, bytes: 100 }, { status: 429, bytes: 300_000 }))
      yield* Effect.gen(function* () {
        const client = HttpClient.withScope(yield* retried({ ...policy, maxAttempts: 15 }))
        yield* Effect.flatMap(client.get(server.url), (response) => response.text)
        expect(signals.size).toBe(1)
        yield* until(() => [...signals].every((signal) => getEventListeners(signal, "abort").length <= 1))
        expect(server.methods.length).toBe(15)
      }).pipe(Effect.scoped, withClient(client))
    })
  )
})

describe("HttpRetry.withRetry in an outage", () => {
  it.scopedLive.each([
    ["fetch", 250, Clients.fetch(() => new Agent({ connections: 20 }))],
    ["node:http", 200, Clients.nodeHttp({ keepAlive: true, maxSockets: 20 })],
    ["undici", 250, Clients.undici(() => new Agent({ connections: 20 }))]
  ] as const)("adds no more load than its bucket grants, and leaves nothing behind: %s", ([, operations, client]) =>
    Effect.gen(function* () {
      const before = HttpServer.handles()
      const warnings: Array<Error> = []
      const onWarning = (warning: Error) => void warnings.push(warning)
      process.on("warning", onWarning)
      const listeners = process.eventNames().map((name) => process.listenerCount(name))
      const capacity = 60
      const outage = operations - 100
      yield* Effect.scoped(
        Effect.gen(function* () {
          // It ends when most operations have been answered.
          const server = yield* serve((exchange) =>
            respond(exchange, exchange.count <= outage ? { status: 503, bytes: 1_000 } : ok)
          )
          const bucket = yield* TokenBucket.successRatio({ capacity, ratio: 0.1 })
          const succeeded = yield* Effect.gen(function* () {
            const client = HttpRetry.withRetry(yield* HttpClient.HttpClient, { ...policy, bucket })
            const statuses = yield* Effect.forEach(
              Array.from({ length: operations }),
              () => Effect.tap(client.get(server.url), (response) => response.arrayBuffer),
              { concurrency: "unbounded" }
            )
            return statuses.filter(({ status }) => status === 200).length
          }).pipe(withClient(client))
          const retries = server.methods.length - operations
          expect(retries).toBeGreaterThanOrEqual(capacity)
          expect(retries).toBeLessThanOrEqual(capacity + 0.1 * succeeded)
          expect(succeeded).toBe(server.methods.length - outage)
          yield* until(() => server.open() === 0)
        })
      )
      yield* until(() => HttpServer.handles() <= before)
      expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(listeners)
      process.off("warning", onWarning)
      expect(warnings).toEqual([])
    })
  )
})
