/**
 * `HttpClient.retryTransient` of `@effect/platform` 0.97 and `HttpRetry.withRetry` against the same servers.
 */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Backoff, Hint } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Schedule } from "effect"
import { Agent } from "undici"
import * as Clients from "../support/Clients.ts"
import * as HttpServer from "../support/HttpServer.ts"
import * as Scripted from "../support/ScriptedClient.ts"
import * as SteppedClock from "../support/SteppedClock.ts"

const { respond, responding, serve } = HttpServer

const policy = { ...HttpRetry.standard, maxAttempts: 4, backoff: Backoff.constant({ delay: 1 }) }

/** How many requests one operation sends. */
const requests = (
  answer: (exchange: HttpServer.Exchange) => void,
  retry: (client: HttpClient.HttpClient) => HttpClient.HttpClient,
  method: "GET" | "POST" = "GET"
): Effect.Effect<number> =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* serve(answer)
      const client = retry(yield* HttpClient.HttpClient)
      yield* Effect.exit(client.execute(HttpClientRequest.make(method)(server.url)))
      return server.methods.length
    })
  ).pipe(Effect.provide(Clients.undici(() => new Agent())))

describe("HttpRetry.withRetry in place of HttpClient.retryTransient", () => {
  it.live("counts statuses and errors once: as many requests as it says, not their square", () =>
    Effect.gen(function* () {
      /** 503, 503, 503, reset, and again. */
      const alternating = (exchange: HttpServer.Exchange) =>
        exchange.count % 4 === 0 ? exchange.request.socket.resetAndDestroy() : respond(exchange, { status: 503 })
      expect({
        theirs: yield* requests(alternating, HttpClient.retryTransient({ times: 3 })),
        ours: yield* requests(alternating, HttpRetry.withRetry(policy))
      }).toEqual({ theirs: 16, ours: 4 })
    })
  )

  it.live("makes one attempt when told to", () =>
    Effect.gen(function* () {
      const once = HttpRetry.withRetry({ ...policy, maxAttempts: 1 })
      expect(yield* requests(responding({ status: 503 }), once)).toBe(1)
    })
  )

  it.live("does not go on for ever as retryTransient does without retries", () =>
    Effect.gen(function* () {
      const enough = 50
      const asked = yield* Deferred.make<void>()
      const busy = (exchange: HttpServer.Exchange) => {
        if (exchange.count === enough) Deferred.unsafeDone(asked, Exit.void)
        respond(exchange, { status: 503 })
      }
      const endless = yield* Effect.fork(requests(busy, HttpClient.retryTransient({ times: 0 })))
      yield* Deferred.await(asked)
      expect(Option.isNone(yield* Fiber.poll(endless))).toBe(true)
      yield* Fiber.interrupt(endless)
    })
  )

  it.live("does not send a POST again that may have been carried out", () =>
    Effect.gen(function* () {
      const busy = responding({ status: 503 })
      expect({
        theirs: yield* requests(busy, HttpClient.retryTransient({ times: 2 }), "POST"),
        ours: yield* requests(busy, HttpRetry.withRetry({ ...policy, maxAttempts: 3 }), "POST")
      }).toEqual({ theirs: 3, ours: 1 })
    })
  )

  it.live("does not hang on one connection, whose bodies are not read", () =>
    Effect.gen(function* () {
      const sent = (retry: (client: HttpClient.HttpClient) => HttpClient.HttpClient, millis: number) =>
        Effect.scoped(
          Effect.gen(function* () {
            const server = yield* serve(responding({ status: 503, bytes: 2_000_000 }))
            const client = retry(yield* HttpClient.HttpClient)
            const response = yield* Effect.timeoutOption(client.get(server.url), millis)
            return { requests: server.methods.length, hangs: Option.isNone(response) }
          })
        ).pipe(Effect.provide(Clients.undici(() => new Agent({ connections: 1 }))))
      expect(yield* sent(HttpClient.retryTransient({ times: 3 }), 100)).toEqual({ requests: 1, hangs: true })
      expect(yield* sent(HttpRetry.withRetry(policy), 4_000)).toEqual({ requests: 4, hangs: false })
    }).pipe(SteppedClock.inSteps)
  )

  it.effect("waits as long as the server asks for", () =>
    Effect.gen(function* () {
      const busy = { status: 503, headers: { "retry-after": "30" } }
      const ours = Scripted.make(busy, 200)
      const own = { ...policy, backoff: Backoff.constant({ delay: "1 second" }) }
      yield* HttpRetry.withRetry(ours.client, {
        ...own,
        hint: Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })
      }).get("http://api.example.com/")
      expect(Scripted.times(ours.calls)).toEqual([0, 30_000])
    }).pipe(Scripted.world)
  )

  it.effect("does not wait by its schedule alone as retryTransient does", () =>
    Effect.gen(function* () {
      const theirs = Scripted.make({ status: 503, headers: { "retry-after": "30" } }, 200)
      const schedule = Schedule.spaced("1 second")
      yield* HttpClient.retryTransient(theirs.client, { schedule, times: 3 }).get("http://api.example.com/")
      expect(Scripted.times(theirs.calls)).toEqual([0, 1_000])
    }).pipe(Scripted.world)
  )
})
