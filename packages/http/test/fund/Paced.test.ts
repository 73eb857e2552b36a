import { Backoff, Deadline } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { TokenBucketContract } from "@effect-retry/testing"
import { HttpClient, HttpClientError } from "@effect/platform"
import * as vitest from "@effect/vitest"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, FastCheck as fc, Fiber, Option } from "effect"
import * as WindowServer from "../support/WindowServer.ts"
import { world } from "../support/ScriptedClient.ts"

const url = "http://a.example/"

const retries = { backoff: Backoff.constant({ delay: "10 millis" }), maxAttempts: 20 }

type Paced = Parameters<typeof HttpRetry.paced>[0]

/** Calls through one client, so many at once: the time they took, and how many the server refused. */
const through = (settings: WindowServer.Settings, calls: number, concurrency: number, options?: Paced) =>
  Effect.gen(function* () {
    const server = WindowServer.make(settings)
    const client = HttpRetry.withRetry(server.client, { ...retries, rateLimiter: yield* HttpRetry.paced(options) })
    const [took, ends] = yield* Effect.timed(
      Effect.all(
        Array.from({ length: calls }, () => client.get(url)),
        { concurrency }
      )
    )
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 200))
    return { millis: Duration.toMillis(took), refused: server.refused(), seen: server.seen }
  })

/** A pace that has heard an answer without headers. */
const known = Effect.tap(HttpRetry.paced(), (rateLimiter) =>
  HttpRetry.withRetry(WindowServer.make({ limit: 1, latencyMillis: 0, headers: () => ({}) }).client, { rateLimiter })
    .get(url)
    .pipe(Effect.orDie)
)

/** Three requests a second, 50 milliseconds of latency, 12 calls, 4 at once: the floor is 3050 milliseconds. */
const floorMillis = 3050

describe("HttpRetry.paced", () => {
  it.effect.each<readonly [name: string, headers: WindowServer.Settings["headers"], millis: number, refused: number]>([
    ["times in milliseconds", WindowServer.fine, 3100, 0],
    ["whole seconds, rounded up", WindowServer.fields(Math.ceil), 3200, 0],
    ["seconds since 1970, rounded up", WindowServer.epoch, 3200, 0]
  ])(
    "refuses nothing at a server on the clock that tells %s, at the pace that it allows",
    ([, headers, millis, refused]) =>
      Effect.gen(function* () {
        const ended = yield* through({ limit: 3, headers }, 12, 4)
        expect({ millis: ended.millis, refused: ended.refused }).toEqual({ millis, refused })
        expect(ended.millis).toBeLessThanOrEqual(1.1 * floorMillis)
      }).pipe(world)
  )

  it.effect("windows that begin with a request are kept as well", () =>
    Effect.gen(function* () {
      const ended = yield* through({ limit: 3, headers: WindowServer.fine, startsWithRequest: true }, 12, 4)
      expect({ millis: ended.millis, refused: ended.refused }).toEqual({ millis: 3200, refused: 0 })
    }).pipe(world)
  )

  it.effect("a server that rounds down is noticed, after one refusal at most", () =>
    Effect.gen(function* () {
      const ended = yield* through({ limit: 3, headers: WindowServer.fields(Math.floor) }, 30, 4)
      expect(ended.refused).toBeLessThanOrEqual(1)
    }).pipe(world)
  )

  it.effect("without headers it holds back by the hint of a throttle alone", () =>
    Effect.gen(function* () {
      const quiet = yield* through({ limit: 100, headers: () => ({}) }, 12, 4)
      // The first request is alone.
      expect(quiet.seen.map(({ atMillis }) => atMillis)).toEqual([0, 50, 50, 50, 50, 100, 100, 100, 100, 150, 150, 150])
      const hinted = yield* through({ limit: 3, headers: WindowServer.retryAfterOnly }, 12, 4)
      expect(hinted.refused).toBeGreaterThan(0)
      const after = hinted.seen.filter(({ status }) => status === 429).map(({ atMillis }) => atMillis + 50)
      const sentSoon = hinted.seen.filter(({ atMillis }) => after.some((at) => atMillis >= at && atMillis < at + 100))
      expect(sentSoon.filter(({ status }) => status === 200)).toEqual([])
    }).pipe(world)
  )

  it.effect.prop(
    "never sends more in a window than its limit, whatever limit, latency and concurrency",
    [
      fc.record({
        limit: fc.integer({ min: 1, max: 20 }),
        latencyMillis: fc.integer({ min: 0, max: 400 }),
        windowMillis: fc.integer({ min: 500, max: 5000 }),
        startsWithRequest: fc.boolean()
      }),
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom(0, 0.5, 1)
    ],
    ([settings, concurrency, spreadBelow]) =>
      Effect.gen(function* () {
        const ended = yield* through({ ...settings, headers: WindowServer.fine }, 40, concurrency, { spreadBelow })
        expect(ended.refused).toBe(0)
      }).pipe(world),
    { fastCheck: { seed: 29, numRuns: 40 } }
  )

  it.effect("spreads requests over the window if asked to", () =>
    Effect.gen(function* () {
      const settings = { limit: 4, latencyMillis: 10, headers: WindowServer.fine }
      const { seen } = yield* through(settings, 12, 12, { spreadBelow: 1 })
      const least = (seen: ReadonlyArray<WindowServer.Seen>) =>
        Math.min(...seen.slice(1).map(({ atMillis }, i) => atMillis - (seen[i]?.atMillis ?? 0)))
      expect(least(seen)).toBeGreaterThanOrEqual(100)
      expect(least((yield* through(settings, 12, 12)).seen)).toBe(0)
    }).pipe(world)
  )

  it.effect("two programs that share a limit divide it, and are refused ever less", () =>
    Effect.gen(function* () {
      const server = WindowServer.make({ limit: 10, headers: WindowServer.fine })
      const program = Effect.gen(function* () {
        const client = HttpRetry.withRetry(server.client, { ...retries, rateLimiter: yield* HttpRetry.paced() })
        yield* Effect.all(
          Array.from({ length: 100 }, () => client.get(url)),
          { concurrency: 10 }
        )
      })
      yield* Effect.all([program, program], { concurrency: "unbounded" })
      const refused = server.seen.filter(({ status }) => status === 429).map(({ atMillis }) => atMillis)
      expect(refused.length).toBeLessThanOrEqual(20)
      // From then on each keeps to its share.
      expect(refused.filter((at) => at >= 5000)).toEqual([])
    }).pipe(world)
  )

  it.effect("refuses at once what could not be sent before the deadline, and says when to ask again", () =>
    Effect.gen(function* () {
      const server = WindowServer.make({ limit: 1, windowMillis: 10_000, headers: WindowServer.fine })
      const rateLimiter = yield* HttpRetry.paced()
      const client = HttpRetry.withRetry(server.client, {
        ...retries,
        rateLimiter,
        deadline: Deadline.refuse("2 seconds")
      })
      yield* client.get(url)
      const [took, error] = yield* Effect.timed(Effect.flip(client.get(url)))
      expect(Duration.toMillis(took)).toBe(0)
      expect(error).toMatchObject({
        _tag: "RequestError",
        cause: { _tag: "AttemptRefused", refusal: { state: "Paced", retryAfter: Option.some(Duration.millis(10_000)) } }
      })
      expect(server.seen.length).toBe(1)
    }).pipe(world)
  )

  it.effect("learns for each host by itself", () =>
    Effect.gen(function* () {
      const server = WindowServer.make({ limit: 1, windowMillis: 10_000, headers: WindowServer.fine })
      const policy = yield* HttpRetry.perHost({ rateLimiter: HttpRetry.paced() })
      const client = HttpRetry.withRetry(server.client, { ...policy, maxAttempts: 1 })
      yield* client.get("http://a.example/")
      const [took] = yield* Effect.timed(client.get("http://b.example/"))
      expect(Duration.toMillis(took)).toBe(50)
      const [later] = yield* Effect.timed(client.get("http://a.example/"))
      expect(Duration.toMillis(later)).toBeGreaterThan(9000)
    }).pipe(world)
  )

  it.effect("a first request that is interrupted, or fails on the way, lets the next one go", () =>
    Effect.gen(function* () {
      const lost = HttpClient.make((request) =>
        request.url.endsWith("/hangs")
          ? Effect.never
          : Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
      )
      const rateLimiter = yield* HttpRetry.paced()
      const client = HttpRetry.withRetry(lost, { rateLimiter, maxAttempts: 1 })
      const hanging = yield* Effect.fork(client.get("http://a.example/hangs"))
      const next = yield* Effect.fork(Effect.timed(Effect.flip(client.get(url))))
      yield* Effect.sleep("1 second")
      expect(yield* Fiber.poll(next)).toEqual(Option.none())
      yield* Fiber.interrupt(hanging)
      expect(Duration.toMillis((yield* Fiber.join(next))[0])).toBe(1000)
      expect(Duration.toMillis((yield* Effect.timed(Effect.flip(client.get(url))))[0])).toBe(0)
    }).pipe(world)
  )

  it.effect("a first request without an answer holds back the others for ten seconds", () =>
    Effect.gen(function* () {
      const client = HttpRetry.withRetry(
        HttpClient.make(() => Effect.never),
        { rateLimiter: yield* HttpRetry.paced(), maxAttempts: 1 }
      )
      const started: Array<number> = []
      const get = Effect.timeoutOption(client.get(url), "15 seconds").pipe(
        Effect.zipRight(Clock.currentTimeMillis),
        Effect.tap((now) => Effect.sync(() => started.push(now)))
      )
      yield* Effect.all([get, get], { concurrency: "unbounded" })
      expect(started).toEqual([15_000, 15_000])
    }).pipe(world)
  )

  it.effect("the level is what is left", () =>
    Effect.gen(function* () {
      const server = WindowServer.make({ limit: 3, headers: WindowServer.fine })
      const rateLimiter = yield* HttpRetry.paced()
      const client = HttpRetry.withRetry(server.client, { ...retries, rateLimiter })
      expect(yield* rateLimiter.level).toBe(Infinity)
      yield* client.get(url)
      expect(yield* rateLimiter.level).toBe(2)
      yield* Effect.sleep("1 second")
      expect(yield* rateLimiter.level).toBe(3)
    }).pipe(world)
  )

  it.each<readonly [options: object, message: string]>([
    [{ atMost: 0 }, "HttpRetry.paced: atMost must be a finite duration >= 1ms, got 0"],
    [{ spreadBelow: 2 }, "HttpRetry.paced: spreadBelow must be >= 0 and <= 1, got 2"],
    [{ whenShort: "refuse", maxWait: 1 }, "HttpRetry.paced: maxWait must be absent"]
  ])("refuses %j", (options, message) => {
    expect(() => HttpRetry.paced(options)).toThrow(message)
  })
})

TokenBucketContract.suite(vitest, "HttpRetry.paced that knows of no limit", known, { grants: "all" })
