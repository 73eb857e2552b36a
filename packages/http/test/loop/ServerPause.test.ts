import { HttpClient, HttpClientError, HttpClientRequest } from "@effect/platform"
import { Backoff, Deadline, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Layer } from "effect"
import * as Scripted from "../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

/** A pause per host, of at most a minute. */
const perHost = (bucket = RateLimiter.serverPause({ atMost: "1 minute" })) =>
  TokenBucket.keyed({ bucket, maxKeys: 1_000, idleTimeToLive: "1 hour" })

const url = "http://a.example/"

const busy = (seconds: string, after: Duration.DurationInput = 0): Scripted.Answer => ({
  status: 429,
  headers: { "retry-after": seconds },
  after
})

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** A client under one pause per host, whose operations are one request each. */
const single = (rateLimiter: TokenBucket.TokenBucket, ...steps: readonly [Scripted.Step, ...Array<Scripted.Step>]) => {
  const { calls, client } = scripted(...steps)
  const retried = HttpRetry.withRetry(client, { ...policy, maxAttempts: 1, rateLimiter })
  return { calls, retried, times: () => Scripted.times(calls) }
}

describe("HttpRetry.withRetry with a pause per host", () => {
  it.effect("sends at once before the server has asked for a pause", () =>
    Effect.gen(function* () {
      const { retried, times } = single(yield* perHost(), 200)
      yield* Effect.replicateEffect(retried.get(url), 3)
      expect(times()).toEqual([0, 0, 0])
    }).pipe(world)
  )

  it.effect("sends all requests that waited when the pause is over, and none before", () =>
    Effect.gen(function* () {
      const { retried, times } = single(yield* perHost(), busy("5"), 200)
      yield* retried.get(url)
      const first = yield* Effect.fork(Effect.all([retried.get(url), retried.get(url)], { concurrency: "unbounded" }))
      yield* Effect.sleep("2 seconds")
      yield* retried.get(url)
      yield* Fiber.join(first)
      yield* retried.get(url)
      expect(times()).toEqual([0, 5_000, 5_000, 5_000, 5_000])
    }).pipe(world)
  )

  it.effect.each([
    ["a longer pause than the one there is", ["5", "8"], 8_000],
    ["the longer one there is", ["8", "5"], 8_000],
    ["none for a wait of zero", ["0", "0"], 0],
    ["the one there is, whatever a wait of zero says", ["5", "0"], 5_000],
    ["at most the bound", ["3600", "0"], 60_000],
    ["at most the bound for what never ends", ["9".repeat(400), "0"], 60_000]
  ] as const)("keeps %s", ([, [first, second], millis]) =>
    Effect.gen(function* () {
      const { retried, times } = single(yield* perHost(), busy(first, "1 second"), busy(second, "1 second"), 200)
      yield* Effect.all([retried.get(url), retried.get(url)], { concurrency: "unbounded" })
      yield* retried.get(url)
      expect(times()).toEqual([0, 0, 1_000 + millis])
    }).pipe(world)
  )

  it.effect("counts the bound from when the hint came", () =>
    Effect.gen(function* () {
      const { retried, times } = single(yield* perHost(), busy("3600"), 200)
      yield* retried.get(url)
      yield* Effect.sleep("30 seconds")
      yield* retried.get(url)
      expect(times()).toEqual([0, 60_000])
    }).pipe(world)
  )

  it.effect("prolongs the wait of requests that wait already", () =>
    Effect.gen(function* () {
      const { retried, times } = single(yield* perHost(), busy("5", "1 second"), busy("4", "4 seconds"), 200)
      yield* Effect.fork(Effect.all([retried.get(url), retried.get(url)], { concurrency: "unbounded" }))
      yield* Effect.sleep("2 seconds")
      yield* retried.get(url)
      expect(times()).toEqual([0, 0, 8_000])
    }).pipe(world)
  )

  it.effect("rounds a pause up to whole milliseconds", () =>
    Effect.gen(function* () {
      const hinted = { status: 429, headers: { "retry-after-ms": "1.5" } }
      const { retried, times } = single(yield* perHost(), hinted, 200)
      yield* retried.get(url)
      yield* retried.get(url)
      expect(times()).toEqual([0, 2])
    }).pipe(world)
  )

  it.effect("refuses at once if the deadline comes before the end of the pause, and waits if it does not", () =>
    Effect.gen(function* () {
      const rateLimiter = yield* perHost()
      yield* single(rateLimiter, busy("5")).retried.get(url)
      const { calls, client } = scripted(200)
      const within = (deadline: Duration.DurationInput) =>
        HttpRetry.withRetry(client, { ...policy, rateLimiter, deadline: Deadline.refuse(deadline) }).get(url)
      const error = yield* Effect.flip(within("4999 millis"))
      expect(error).toBeInstanceOf(HttpClientError.RequestError)
      expect([error.cause, yield* nowMillis]).toEqual([new Retry.AttemptRefused({ attempt: 1 }), 0])
      yield* within("5001 millis")
      expect(Scripted.times(calls)).toEqual([5_000])
    }).pipe(world)
  )

  it.effect("refuses a waiting request when a later hint leaves it too little time", () =>
    Effect.gen(function* () {
      const rateLimiter = yield* perHost()
      const { retried } = single(rateLimiter, busy("5", "1 second"), busy("4", "4 seconds"))
      yield* Effect.fork(Effect.all([retried.get(url), retried.get(url)], { concurrency: "unbounded" }))
      yield* Effect.sleep("1500 millis")
      const { calls, client } = scripted(200)
      const bounded = HttpRetry.withRetry(client, { ...policy, rateLimiter, deadline: Deadline.refuse("6 seconds") })
      const error = yield* Effect.flip(bounded.get(url))
      expect([error.cause, calls.length]).toEqual([new Retry.AttemptRefused({ attempt: 1 }), 0])
      expect(yield* nowMillis).toBe(6_000)
    }).pipe(world)
  )

  it.effect("makes later requests to the same host wait, and no others", () =>
    Effect.gen(function* () {
      const { calls, retried } = single(yield* perHost(), busy("30"), 200)
      expect((yield* retried.get("http://a.example/1")).status).toBe(429)
      yield* Effect.forEach(
        ["http://a.example/2", "http://b.example/3", "http://a.example:81/4"],
        (each) => retried.get(each),
        { concurrency: "unbounded" }
      )
      expect(calls.map(({ atMillis, request }) => [request.url, atMillis])).toEqual([
        ["http://a.example/1", 0],
        ["http://b.example/3", 0],
        ["http://a.example:81/4", 0],
        ["http://a.example/2", 30_000]
      ])
    }).pipe(world)
  )

  it.effect.each([
    ["is followed above the retries, as that of the target", true, 0],
    ["is followed below the retries, as that of the host asked first", false, 30_000]
  ] as const)("counts the pause of a host when a redirect %s", ([, isAbove, atMillis]) =>
    Effect.gen(function* () {
      const moved = { status: 307, headers: { location: "http://b.example/" } }
      const { calls, client } = scripted(moved, busy("30"), 200)
      const limited = HttpRetry.withRetry({ ...policy, maxAttempts: 1, rateLimiter: yield* perHost() })
      const retried = isAbove
        ? client.pipe(limited, HttpClient.followRedirects())
        : client.pipe(HttpClient.followRedirects(), limited)
      expect((yield* retried.get(url)).status).toBe(429)
      expect((yield* retried.get("http://a.example/other")).status).toBe(200)
      expect(calls.map(({ atMillis, request }) => [request.url, atMillis])).toEqual([
        ["http://a.example/", 0],
        ["http://b.example/", 0],
        ["http://a.example/other", atMillis]
      ])
    }).pipe(world)
  )

  it.effect("tells hundreds of hosts apart", () =>
    Effect.gen(function* () {
      const rateLimiter = yield* perHost()
      const hosts = Array.from({ length: 500 }, (_, index) => `http://host-${index}.example/`)
      for (const [index, host] of hosts.entries()) {
        const hinted = { status: 429, headers: { "retry-after-ms": String(index) } }
        yield* single(rateLimiter, hinted).retried.get(host)
      }
      const { retried, times } = single(rateLimiter, 200)
      yield* Effect.forEach(hosts, (host) => retried.get(host), { concurrency: "unbounded" })
      expect(times()).toEqual(hosts.map((_, index) => index))
    }).pipe(world)
  )

  it.effect("ends at once for a request that is interrupted, and goes on for the others", () =>
    Effect.gen(function* () {
      const { retried, times } = single(yield* perHost(), busy("5"), 200)
      yield* retried.get(url)
      const [gone, staying] = [yield* Effect.fork(retried.get(url)), yield* Effect.fork(retried.get(url))]
      yield* Effect.sleep("1 second")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(gone))).toBe(true)
      expect([yield* nowMillis, yield* VirtualClock.sleepers]).toEqual([1_000, 1])
      yield* Fiber.join(staying)
      expect(times()).toEqual([0, 5_000])
    }).pipe(world)
  )

  it.effect.each([
    ["back", VirtualClock.stepBack("30 minutes")],
    ["forward", VirtualClock.setWallTime("5 hours")]
  ] as const)("lasts as long when the wall clock is set %s", ([, step]) =>
    Effect.gen(function* () {
      yield* Effect.sleep("1 hour")
      const { retried } = single(yield* perHost(), busy("8"), 200)
      yield* retried.get(url)
      const waiting = yield* Effect.fork(retried.get(url))
      yield* Effect.sleep("3 seconds")
      yield* step
      yield* Fiber.join(waiting)
      expect(yield* nowMillis).toBe(3_608_000)
    }).pipe(world)
  )

  it.effect("works with a rate, which is asked when the pause is over", () =>
    Effect.gen(function* () {
      const bucket = Effect.map(
        Effect.all([RateLimiter.serverPause({ atMost: "1 minute" }), RateLimiter.fixed({ rate: 1, burst: 1 })]),
        ([pause, rate]) => TokenBucket.all(pause, rate)
      )
      const { retried, times } = single(yield* perHost(bucket), busy("5"), 200)
      yield* retried.get(url)
      yield* Effect.all([retried.get(url), retried.get(url)], { concurrency: "unbounded" })
      expect(times()).toEqual([0, 5_000, 6_000])
    }).pipe(world)
  )

  it.effect("hears hints of failures that are not retried, and of operations of other clients", () =>
    Effect.gen(function* () {
      const shared = { ...policy, rateLimiter: yield* perHost() }
      const told = scripted(busy("30"))
      const other = scripted(200)
      yield* HttpRetry.withRetry(told.client, shared).execute(HttpClientRequest.post(url))
      yield* HttpRetry.withRetry(other.client, shared).get(url)
      expect([Scripted.times(told.calls), Scripted.times(other.calls)]).toEqual([[0], [30_000]])
    }).pipe(world)
  )

  it.effect.each([
    ["a directive of the server", { "x-should-retry": "false" }, {}],
    ["the caller's opinion", {}, { opinion: () => Verdict.terminal("no use") }]
  ] as const)("hears the hint of a failure that is not retried because of %s", ([, headers, own]) =>
    Effect.gen(function* () {
      const shared = { ...policy, rateLimiter: yield* perHost() }
      const told = scripted({ status: 429, headers: { "retry-after": "30", ...headers } })
      const other = scripted(200)
      yield* HttpRetry.withRetry(told.client, { ...shared, ...own }).get(url)
      yield* HttpRetry.withRetry(other.client, shared).get(url)
      expect([Scripted.times(told.calls), Scripted.times(other.calls)]).toEqual([[0], [30_000]])
    }).pipe(world)
  )

  it.effect("adds nothing to the wait of the operation that met the hint", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(busy("30"), 200)
      yield* HttpRetry.withRetry(client, { ...policy, rateLimiter: yield* perHost() }).get(url)
      expect(Scripted.times(calls)).toEqual([0, 31_500])
    }).pipe(world)
  )

  it.effect("bounds a hint at which its operation gives up", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(busy("86400"), 200)
      const retried = HttpRetry.withRetry(client, { ...policy, rateLimiter: yield* perHost() })
      yield* retried.get(url)
      yield* retried.get(url)
      expect(Scripted.times(calls)).toEqual([0, 60_000])
    }).pipe(world)
  )

  it.effect("is another one wherever its layer is built", () =>
    Effect.gen(function* () {
      const layer = Layer.effect(TokenBucket.RetryBucket, perHost())
      const { calls, client } = scripted(busy("30"), 200)
      const retried = HttpRetry.withRetry(client, { ...policy, maxAttempts: 1, rateLimiter: TokenBucket.RetryBucket })
      for (let count = 0; count < 2; count++) yield* Effect.provide(retried.get(url), Layer.fresh(layer))
      expect([Scripted.times(calls), yield* Clock.currentTimeMillis]).toEqual([[0, 0], 0])
    }).pipe(world)
  )
})
