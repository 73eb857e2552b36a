import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Backoff, Verdict } from "@effect-retry/core"
import { Connections, Discard, HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Agent } from "undici"
import { reasonOf } from "../../../src/classify/ClientLine.ts"
import * as Clients from "../../support/Clients.ts"
import * as HttpServer from "../../support/HttpServer.ts"

const { responding, serve } = HttpServer

/** With time to read a body, on a machine that stalls too. */
const drain = { ...Discard.standard, within: "1 minute" } as const

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: 1 }), drain }

const ok = { status: 200, bytes: 2 }

/** One connection at a time, since undici opens another one sooner than it has noticed that the first is free. */
const plain = () => new Agent({ connections: 1 })

const composed = (statuses?: ReadonlySet<number>) => () => plain().compose(Connections.undiciInterceptor(statuses))

/** Bodies, from what comes with the headers to what is not all there when they are. */
const bodies: ReadonlyArray<Omit<HttpServer.Answer, "status">> = [
  { bytes: 0 },
  { bytes: 1_000 },
  { bytes: 1_000, chunked: true },
  { bytes: 120_000 },
  { bytes: 120_000, chunked: true },
  { bytes: 300_000 },
  { bytes: 300_000, chunked: true }
]

/** Whether the second attempt came on the connection of the first: `r` if it was reused, `c` if it was closed. */
const fates = (
  client: Clients.Client,
  status: number,
  options: { readonly policy?: HttpRetry.Preset; readonly isScoped?: boolean } = {}
) =>
  Effect.map(
    Effect.forEach(bodies, (body) =>
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* serve(responding({ status, ...body }, ok))
          yield* Effect.gen(function* () {
            const retried = HttpRetry.withRetry(yield* HttpClient.HttpClient, options.policy ?? policy)
            const client = options.isScoped === true ? HttpClient.withScope(retried) : retried
            yield* Effect.flatMap(client.get(server.url), (response) => response.text)
          }).pipe(Effect.provide(client))
          expect(server.methods.length).toBe(2)
          return server.connections[0] === server.connections[1] ? "r" : "c"
        })
      )
    ),
    (each) => each.join("")
  )

describe("HttpRetry.withRetry and connections", () => {
  const clients = {
    fetch: Clients.fetch(plain),
    "fetch with the interceptor": Clients.fetch(composed()),
    undici: Clients.undici(plain),
    "undici with the interceptor": Clients.undici(composed()),
    "node:http": Clients.nodeHttp({ keepAlive: true, maxSockets: 1 })
  }

  it.live.each([
    // After throttling, whatever is within the bounds of `Discard.standard` is read.
    ["fetch", 429, "rrrrrcc"],
    ["fetch with the interceptor", 429, "rrrrrcc"],
    ["undici", 429, "rrrrrcc"],
    ["undici with the interceptor", 429, "rrrrrcc"],
    ["node:http", 429, "rrrrrcc"],
    // After a transient failure, undici alone has freed the connection if the body came with the headers.
    ["fetch", 503, "rrrcccc"],
    ["fetch with the interceptor", 503, "ccccccc"],
    ["undici", 503, "rrrcccc"],
    ["undici with the interceptor", 503, "ccccccc"],
    ["node:http", 503, "ccccccc"]
  ] as const)(
    "reuses those of throttling servers, and closes those of failing ones: %s after %s",
    ([name, status, expected]) =>
      Effect.gen(function* () {
        expect(yield* fates(clients[name], status)).toBe(expected)
      })
  )

  it.live.each([
    ["fetch with the interceptor", 429, "rrrrrcc"],
    ["undici with the interceptor", 429, "rrrrrcc"],
    ["node:http", 429, "rrrrrcc"],
    // The platform's scope holds what could abort the request: the body itself is given up.
    ["fetch with the interceptor", 503, "ccccccc"],
    ["undici with the interceptor", 503, "ccccccc"],
    ["node:http", 503, "ccccccc"]
  ] as const)("does the same when a scope is in charge: %s after %s", ([name, status, expected]) =>
    Effect.gen(function* () {
      const scoped = Effect.scoped(fates(clients[name], status, { isScoped: true }))
      expect(yield* scoped).toBe(expected)
    })
  )

  it.live("closes those of throttling servers, too, when nothing is to be read", () =>
    Effect.gen(function* () {
      const hurried = { ...policy, drain: Discard.nothing }
      expect(yield* fates(clients["node:http"], 429, { policy: hurried })).toBe("ccccccc")
    })
  )

  it.live("goes by the verdict on the failure, not by its status", () =>
    Effect.gen(function* () {
      const throttling = { ...policy, opinion: () => Verdict.throttling, maxAttempts: 2 }
      expect(yield* fates(clients["node:http"], 503, { policy: throttling })).toBe("rrrrrcc")
      const failing = { ...policy, opinion: () => Verdict.transient, maxAttempts: 2 }
      expect(yield* fates(clients["node:http"], 429, { policy: failing })).toBe("ccccccc")
    })
  )
})

describe("Connections.undiciInterceptor", () => {
  it("holds the statuses of servers that are not well", () => {
    expect([...Connections.transientStatuses]).toEqual([421, 500, 502, 503, 504])
  })

  it.each([
    ["a list", [503], "statuses must be a set of statuses, got [503]"],
    ["nothing", null, "statuses must be a set of statuses, got null"],
    ["a set of strings", new Set(["503"]), 'statuses must be a whole number >= 100 and <= 599, got "503"'],
    ["a status that is none", new Set([503, 5]), "statuses must be a whole number >= 100 and <= 599, got 5"],
    ["a fraction", new Set([503.5]), "statuses must be a whole number >= 100 and <= 599, got 503.5"]
  ])("refuses what are not statuses: %s", (_, statuses, message) => {
    const make = () => Connections.undiciInterceptor(statuses as unknown as ReadonlySet<number>)
    expect(make).toThrow(`Connections.undiciInterceptor: ${message}`)
  })

  type Interceptor = ReturnType<typeof Connections.undiciInterceptor>

  /** The handler that the dispatcher gets if the request has this one. */
  const heldBy = (
    handler: object
  ): { readonly [method: string]: (...parameters: ReadonlyArray<unknown>) => unknown } => {
    const given: Array<unknown> = []
    const dispatch = (_: never, handler: never) => given.push(handler) > 0
    Connections.undiciInterceptor()(dispatch as Parameters<Interceptor>[0])({} as never, handler as never)
    return given[0] as ReturnType<typeof heldBy>
  }

  const hooks = [
    "onRequestStart",
    "onRequestUpgrade",
    "onResponseStart",
    "onResponseData",
    "onResponseEnd",
    "onResponseError"
  ]

  it.each(hooks)("passes everything on, if the handler wants to hear it: %s", (method) => {
    const heard: Array<unknown> = []
    const held = heldBy({ [method]: (...parameters: ReadonlyArray<unknown>) => heard.push(...parameters) })
    const parameters = [{}, 200, { a: "1" }, "OK"]
    for (const each of hooks) held[each]?.(...parameters)
    expect(heard).toEqual(parameters)
  })

  it("pauses a response when its handler has heard of it", () => {
    const heard: Array<string> = []
    const held = heldBy({ onResponseStart: () => heard.push("heard") })
    for (const status of [200, 503]) held["onResponseStart"]?.({ pause: () => heard.push("paused") }, status, {})
    expect(heard).toEqual(["heard", "heard", "paused"])
  })

  it.live("holds the statuses it is told", () =>
    Effect.gen(function* () {
      const client = Clients.undici(composed(new Set([500])))
      expect(yield* fates(client, 500)).toBe("ccccccc")
      expect(yield* fates(client, 503)).toBe("rrrcccc")
    })
  )

  it.scopedLive.each([
    ["fetch", Clients.fetch(composed())],
    ["undici", Clients.undici(composed())]
  ] as const)("lets a body be read to its end, which frees the connection: %s", ([, client]) =>
    Effect.gen(function* () {
      for (const body of [...bodies, { bytes: 2_000_000 }]) {
        const server = yield* serve(responding({ status: 503, ...body }))
        yield* Effect.gen(function* () {
          const client = yield* HttpClient.HttpClient
          for (let count = 0; count < 2; count++) {
            const response = yield* client.get(server.url)
            expect((yield* response.arrayBuffer).byteLength).toBe(body.bytes)
          }
        }).pipe(Effect.provide(client))
        expect(server.connections).toEqual([1, 1])
      }
    })
  )

  it.scopedLive("leaves a request without an answer's body, a reset and other statuses as they are", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) => {
        if (exchange.request.method === "HEAD") return void exchange.response.writeHead(503).end()
        if (exchange.count === 2) return void exchange.request.socket.resetAndDestroy()
        HttpServer.respond(exchange, { status: 404, bytes: 9 })
      })
      yield* Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        const head = yield* client.execute(HttpClientRequest.head(server.url))
        expect([head.status, yield* head.text]).toEqual([503, ""])
        const error = yield* Effect.flip(client.get(server.url))
        expect(reasonOf(error)).toBe("Transport")
        const missing = yield* client.get(server.url)
        expect([missing.status, (yield* missing.text).length]).toEqual([404, 9])
      }).pipe(Effect.provide(Clients.undici(composed())))
    })
  )
})
