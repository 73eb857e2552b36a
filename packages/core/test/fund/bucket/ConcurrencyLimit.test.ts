import { Backoff, Classifier, RateLimiter, Retry } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, FastCheck, Fiber, Option } from "effect"
import { law } from "../../support/Laws.ts"
import type { Asked } from "../Asking.ts"
import { abandon, acquire, drain, fail, isGranted, start, succeed } from "../Asking.ts"
import { clockReads } from "../ClockReads.ts"

const { concurrencyLimit } = RateLimiter

const first: Asked = { attempt: 1 }

const settled = Effect.sleep(Duration.zero)

describe("RateLimiter.concurrencyLimit with a limit", () => {
  it.effect.each([
    { end: "a success", tell: succeed },
    { end: "a failure", tell: (bucket: Parameters<typeof fail>[0]) => fail(bucket, undefined, 1, 1) },
    { end: "an interruption or a defect", tell: abandon }
  ])("holds a token until the attempt has ended with $end", ({ tell }) =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ limit: 2, whenShort: "refuse" })
      expect(yield* drain(bucket, first)).toBe(2)
      yield* start(bucket)
      expect([yield* bucket.level, yield* isGranted(bucket, first)]).toEqual([0, false])
      yield* tell(bucket, 1, 1)
      expect([yield* bucket.level, yield* drain(bucket, first)]).toEqual([1, 1])
    })
  )

  it.effect("gets back the token of an attempt that was not made", () =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ limit: 1, whenShort: "refuse" })
      const grant = Option.getOrThrow(yield* acquire(bucket, first))
      yield* grant.refund
      expect([grant.tokens, yield* bucket.level, yield* drain(bucket)]).toEqual([1, 1, 1])
    })
  )

  it.effect("reads no clock when an attempt need not wait", () =>
    Effect.gen(function* () {
      const using = Effect.flatMap(concurrencyLimit({ limit: 1 }), (bucket) =>
        Effect.all([start(bucket), acquire(bucket, first), succeed(bucket, 1, 1), bucket.level])
      )
      expect(yield* clockReads(using)).toBe(0)
    })
  )

  it.effect("ignores the end of attempts that it did not grant", () =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ limit: 1 })
      yield* Effect.all([start(bucket), succeed(bucket), start(bucket), abandon(bucket), fail(bucket)])
      expect(yield* bucket.level).toBe(1)
    })
  )

  it.effect("serves waiting attempts in their order as others end, within the longest wait", () =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ limit: 1, maxWait: "1 second" })
      yield* acquire(bucket, first)
      const served: Array<string> = []
      const ask = (name: string) =>
        Effect.flatMap(isGranted(bucket, first), (granted) =>
          Effect.map(VirtualClock.now, (now) => void served.push(`${name} ${granted} ${Duration.toMillis(now)}`))
        )
      const waiting = yield* Effect.forEach(["a", "b", "c"], (name) => Effect.zipLeft(Effect.fork(ask(name)), settled))
      yield* Effect.sleep("300 millis")
      yield* succeed(bucket, 1, 1)
      yield* Effect.sleep("300 millis")
      yield* succeed(bucket, 1, 1)
      yield* Fiber.join(Fiber.all(waiting))
      expect(served).toEqual(["a true 300", "b true 600", "c false 1000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("bounds what a policy has in flight, even when attempts are interrupted and die", () =>
    Effect.gen(function* () {
      const rateLimiter = yield* concurrencyLimit({ limit: 3 })
      const flight = { now: 0, most: 0 }
      const policy = {
        rateLimiter,
        classifier: Classifier.always,
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: 0 })
      }
      const attempt = (index: number) =>
        Effect.acquireUseRelease(
          Effect.sync(() => void (flight.most = Math.max(flight.most, (flight.now += 1)))),
          () =>
            Effect.zipRight(
              Effect.sleep(Duration.millis(10 + index)),
              index % 3 === 0 ? Effect.fail("busy") : index % 3 === 1 ? Effect.die("bug") : Effect.void
            ),
          () => Effect.sync(() => void (flight.now -= 1))
        )
      const operations = yield* Effect.forEach(Array.from({ length: 30 }), (_, index) =>
        Effect.fork(Effect.exit(Retry.retry(attempt(index), policy)))
      )
      yield* Effect.sleep("25 millis")
      yield* Fiber.interruptAll(operations.filter((_, index) => index % 5 === 0))
      yield* Fiber.awaitAll(operations)
      expect(flight).toEqual({ now: 0, most: 3 })
      expect(yield* rateLimiter.level).toBe(3)
    }).pipe(VirtualClock.run)
  )
})

describe("RateLimiter.concurrencyLimit with a ratio", () => {
  // Envoy's retry budget: 20 % of what is in flight, and at least three.
  it.effect.each([
    { started: 0, retries: 3 },
    { started: 12, retries: 3 },
    { started: 16, retries: 4 },
    { started: 400, retries: 100 }
  ])("grants $retries retries at a fifth of what is in flight with $started first attempts", ({ retries, started }) =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ ratio: 0.2, whenShort: "refuse" })
      yield* Effect.replicateEffect(start(bucket), started)
      expect([yield* bucket.level, yield* drain(bucket)]).toEqual([retries, retries])
      expect(retries).toBeLessThanOrEqual(Math.max(3, 0.2 * (started + retries)))
    })
  )

  it.effect("grants first attempts by the limit alone, and retries by both", () =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ limit: 4, ratio: 0.5, atLeast: 0, whenShort: "refuse" })
      expect([yield* isGranted(bucket), yield* isGranted(bucket, first)]).toEqual([false, true])
      yield* start(bucket)
      expect(yield* drain(bucket)).toBe(1)
      expect(yield* drain(bucket, first)).toBe(2)
      expect(yield* drain(bucket)).toBe(0)
    })
  )

  it.effect("counts a first attempt until it ends, and no retry that starts or ends", () =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ ratio: 0.5, atLeast: 0, whenShort: "refuse" })
      yield* Effect.replicateEffect(start(bucket), 3)
      yield* start(bucket, 2)
      expect(yield* bucket.level).toBe(3)
      expect(yield* isGranted(bucket)).toBe(true)
      yield* succeed(bucket, 2, 1)
      expect(yield* bucket.level).toBe(3)
      yield* succeed(bucket)
      expect(yield* bucket.level).toBe(2)
    })
  )

  it.effect("counts a retry that waits for its delay", () =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ limit: 1, whenShort: "refuse" })
      const policy = {
        bucket,
        classifier: Classifier.always,
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: "1 second" })
      }
      const attempt = yield* Deferred.make<void, string>()
      yield* Deferred.fail(attempt, "busy")
      const stops = yield* Effect.forEach(
        [1, 2],
        () => Effect.map(Effect.flip(Retry.orStopped(Deferred.await(attempt), policy)), ({ reason }) => reason._tag),
        { concurrency: "unbounded" }
      )
      expect(stops).toEqual(["AttemptsSpent", "BucketEmpty"])
      expect(yield* bucket.level).toBe(1)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([1, 1.5])("is no limit at a ratio of %d", (ratio) =>
    Effect.gen(function* () {
      const bucket = yield* concurrencyLimit({ ratio })
      expect([yield* bucket.level, yield* isGranted(bucket)]).toEqual([Infinity, true])
    })
  )

  it.effect.prop(
    "never has more retries in flight than its formula allows, and none when all have ended",
    [
      FastCheck.double({ min: 0, max: 0.99, noNaN: true }),
      FastCheck.nat(4),
      FastCheck.array(
        FastCheck.tuple(FastCheck.constantFrom("start", "retry", "end first", "end retry"), FastCheck.nat())
      )
    ],
    ([ratio, atLeast, moves]) =>
      Effect.gen(function* () {
        const bucket = yield* concurrencyLimit({ ratio, atLeast, whenShort: "refuse" })
        const flight = { first: 0, retries: 0 }
        const most = (retries: number) => Math.max(atLeast, ratio * (flight.first + retries)) + 1e-6
        for (const [move] of moves) {
          if (move === "start") {
            yield* start(bucket)
            flight.first += 1
          } else if (move === "end first" && flight.first > 0) {
            yield* fail(bucket)
            flight.first -= 1
          } else if (move === "end retry" && flight.retries > 0) {
            yield* abandon(bucket, 2, 1)
            flight.retries -= 1
          } else if (move === "retry") {
            const granted = yield* isGranted(bucket)
            expect(granted).toBe(flight.retries + 1 <= most(flight.retries + 1))
            if (granted) flight.retries += 1
          }
        }
        yield* Effect.replicateEffect(abandon(bucket, 2, 1), flight.retries)
        yield* Effect.replicateEffect(succeed(bucket), flight.first)
        expect(yield* bucket.level).toBe(atLeast)
      }),
    law(200)
  )
})
