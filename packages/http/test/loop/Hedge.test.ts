import { HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { Backoff, Deadline, Hedge, type Observe, TokenBucket } from "@effect-retry/core"
import { HttpRetry, Idempotency } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Context, Data, Duration, Effect, Option } from "effect"
import * as Scripted from "../support/ScriptedClient.ts"

const { make: scripted, times, world } = Scripted

const url = "http://a.example/books"

const hedge = { delay: "100 millis" } as const

const slow = (after: Duration.DurationInput, status = 200): Scripted.Answer => ({ status, after })

const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" })

describe("HttpRetry.withHedge", () => {
  it.effect.each<{
    name: string
    steps: readonly [Scripted.Step, ...Array<Scripted.Step>]
    changes?: Partial<HttpRetry.HedgePolicy>
    times: ReadonlyArray<number>
    status: number
    at: number
  }>([
    { name: "sends once what is answered in time", steps: [slow(90)], times: [0], status: 200, at: 90 },
    {
      name: "sends again what is slow, and takes the first answer",
      steps: [slow(5_000), slow(20)],
      times: [0, 100],
      status: 200,
      at: 120
    },
    {
      name: "sends at once after a failure of the transport",
      steps: [reset, slow(20)],
      times: [0, 0],
      status: 200,
      at: 20
    },
    {
      name: "sends at once after a status that passes",
      steps: [slow(30, 503), slow(20)],
      times: [0, 30],
      status: 200,
      at: 50
    },
    {
      name: "waits as long as the server asks",
      steps: [{ status: 429, headers: { "retry-after": "2" } }, slow(20)],
      times: [0, 2_000],
      status: 200,
      at: 2_020
    },
    {
      name: "answers a status of the caller's fault at once",
      steps: [slow(5_000), slow(20, 404)],
      times: [0, 100],
      status: 404,
      at: 120
    },
    {
      name: "answers the last status where no attempt is left",
      steps: [slow(30, 503)],
      times: [0, 30],
      status: 503,
      at: 60
    },
    {
      name: "sends no more at once than it may",
      steps: [slow(5_000), slow(5_000), slow(20)],
      changes: { maxAttempts: 4, maxInFlight: 2 },
      times: [0, 100],
      status: 200,
      at: 5_000
    },
    {
      name: "sends none that the bucket refuses",
      steps: [slow(500)],
      changes: { bucket: TokenBucket.empty },
      times: [0],
      status: 200,
      at: 500
    }
  ])("$name", ({ at, changes, status, steps, times: expected }) =>
    Effect.gen(function* () {
      const { calls, client } = scripted(...steps)
      const response = yield* HttpRetry.withHedge(client, { ...hedge, ...changes }).get(url)
      expect(response.status).toBe(status)
      expect(times(calls)).toEqual(expected)
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(at)
    }).pipe(world)
  )

  it.effect.each<{
    name: string
    request: HttpClientRequest.HttpClientRequest
    sent: number
    changes?: Partial<HttpRetry.HedgePolicy>
  }>([
    { name: "a POST", request: HttpClientRequest.post(url), sent: 1 },
    { name: "a GET", request: HttpClientRequest.get(url), sent: 2 },
    {
      name: "a POST with a key",
      request: HttpClientRequest.post(url, { headers: { "idempotency-key": "k1" } }),
      sent: 2
    },
    {
      name: "a POST that gets a key",
      request: HttpClientRequest.post(url),
      sent: 2,
      changes: { idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] } }
    }
  ])("sends $name $sent times when it is slow", ({ changes, request, sent }) =>
    Effect.gen(function* () {
      const { calls, client } = scripted(slow(5_000), slow(20))
      yield* HttpRetry.withHedge(client, { ...hedge, ...changes }).execute(request)
      expect(calls).toHaveLength(sent)
      const keys = Scripted.sent(calls, "idempotency-key")
      expect(new Set(keys).size).toBe(1)
    }).pipe(world)
  )

  it.effect("hedges what the caller has declared safe to repeat", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(slow(5_000), slow(20))
      const post = HttpRetry.withHedge(client, hedge).post(url)
      yield* Idempotency.declared(post, "replaces the whole order")
      expect(calls).toHaveLength(2)
    }).pipe(world)
  )

  it.effect("aborts the request that loses, and releases the body of one that passes", () =>
    Effect.gen(function* () {
      const watched = Scripted.watchedBody(1_000_000)
      const { calls, client } = scripted({ status: 503, body: watched.body }, slow(20))
      yield* HttpRetry.withHedge(client, hedge).get(url)
      expect(watched.seen.cancelled).toBe(true)
      const second = scripted(slow(5_000), slow(20))
      yield* HttpRetry.withHedge(second.client, hedge).get(url)
      expect(second.calls.map(({ signal }) => signal.aborted)).toEqual([true, false])
      expect(calls).toHaveLength(2)
    }).pipe(world)
  )

  it.effect("works inside retries, which count a hedged request as one attempt", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(slow(5_000), 503, slow(5_000), slow(20))
      const both = client.pipe(
        HttpRetry.withHedge({ ...hedge, maxAttempts: 2, deadline: Deadline.cut("150 millis") }),
        HttpRetry.withRetry({ maxAttempts: 2, backoff: Backoff.constant({ delay: "1 second" }) })
      )
      expect((yield* both.get(url)).status).toBe(200)
      expect(times(calls)).toEqual([0, 100, 1_150, 1_250])
    }).pipe(world)
  )

  it.effect("makes a deadline that cuts the cause of an error of the request", () =>
    Effect.gen(function* () {
      const { client } = scripted(slow(5_000))
      const error = yield* Effect.flip(
        HttpRetry.withHedge(client, { ...hedge, deadline: Deadline.cut("150 millis") }).get(url)
      )
      expect(error).toMatchObject({ _tag: "RequestError", cause: { _tag: "DeadlineExceeded", attempts: 2 } })
    }).pipe(world)
  )

  it.effect("fails with the error of the client itself", () =>
    Effect.gen(function* () {
      const { client } = scripted(reset)
      const error = yield* Effect.flip(HttpRetry.withHedge(client, hedge).get(url))
      expect(error).toMatchObject({ _tag: "RequestError", cause: reset })
    }).pipe(world)
  )

  it.effect("keys its bucket by the host, and tells observers of requests without credentials", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const observer: Observe.Observer = (event) =>
        Effect.sync(() => {
          const { attributes, subject } = event.details()
          lines.push([event._tag, event.attempt, subject, attributes["http.request.resend_count"]])
        })
      const bucket = yield* TokenBucket.keyed({
        bucket: TokenBucket.quota({ capacity: 5, initial: 5 }),
        maxKeys: 10,
        idleTimeToLive: "1 hour"
      })
      const { calls, client } = scripted(slow(300))
      const hedged = HttpRetry.withHedge(client, { ...hedge, name: "books", observe: [observer], bucket })
      yield* hedged.get("http://user:secret@a.example/books?token=secret")
      yield* hedged.get("http://a.example/")
      yield* hedged.get("http://b.example/")
      expect(calls.map(({ request }) => new URL(request.url).host)).toEqual([
        "a.example",
        "a.example",
        "a.example",
        "b.example",
        "b.example"
      ])
      expect(JSON.stringify(lines)).not.toContain("secret")
      expect(lines.slice(0, 2)).toEqual([
        ["HedgeStarted", 2, "GET a.example", 1],
        ["Succeeded", 1, "GET a.example", 1]
      ])
    }).pipe(world)
  )

  it.effect("measures a percentile of its requests", () =>
    Effect.gen(function* () {
      const delay = yield* Hedge.percentile()
      const { client } = scripted(slow(20))
      yield* Effect.replicateEffect(HttpRetry.withHedge(client, { delay }).get(url), 60)
      const estimate = Option.map(yield* delay.estimate, Duration.toMillis)
      expect(Math.abs(Option.getOrElse(estimate, () => NaN) - 20)).toBeLessThan(3)
    }).pipe(world)
  )

  it.each<[object, string]>([
    [{}, "delay must be a duration, a percentile or a function that returns a duration, got undefined"],
    [{ ...hedge, maxAttempts: 0 }, "maxAttempts must be a whole number >= 1, got 0"],
    [{ ...hedge, backoff: 1 }, "backoff must be absent: the fields of a client's hedge are name, observe, route"],
    [{ ...hedge, idempotency: 7 }, "idempotency must be a record of rules, such as Idempotency.standard, got 7"],
    [{ ...hedge, classifier: 7 }, "classifier must be a classifier, such as one of HttpClassifier.make, got 7"]
  ])("refuses %o", (wrong, message) => {
    expect(() => HttpRetry.withHedge(wrong as typeof hedge)).toThrow(`HttpRetry.withHedge: ${message}`)
  })

  it("refuses what is not a client", () => {
    expect(() => HttpRetry.withHedge({} as HttpClient.HttpClient, hedge)).toThrow(
      "HttpRetry.withHedge: client must be made by"
    )
  })
})

class Tokens extends Context.Tag("test/Tokens")<Tokens, TokenBucket.TokenBucket>() {}
class Late extends Data.TaggedError("Late") {}

declare const client: HttpClient.HttpClient

describe("HttpRetry.withHedge types", () => {
  it("keep those of the client, and add what the hedge adds", () => {
    expectTypeOf(() => HttpRetry.withHedge(client, hedge)).returns.toEqualTypeOf<HttpClient.HttpClient>()
    expectTypeOf(() => client.pipe(HttpRetry.withHedge(hedge))).returns.toEqualTypeOf<HttpClient.HttpClient>()
    const funded = () => client.pipe(HttpRetry.withHedge({ ...hedge, bucket: Tokens }))
    expectTypeOf(funded).returns.toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError, Tokens>>()
    const late = () =>
      HttpRetry.withHedge(client, { ...hedge, deadline: Deadline.cut(1, { onExceeded: () => new Late() }) })
    expectTypeOf(late).returns.toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError | Late>>()
  })
})
