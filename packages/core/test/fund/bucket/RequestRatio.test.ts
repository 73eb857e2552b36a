import { Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import type { Duration } from "effect"
import { Effect, Option } from "effect"
import { abandon, acquire, drain, fail, start, succeed } from "../Asking.ts"
import { policy, scripted } from "../Funded.ts"
import { ratios } from "../Ratios.ts"

type Options = NonNullable<Parameters<typeof TokenBucket.requestRatio>[0]>

describe("TokenBucket.requestRatio", () => {
  it.effect("starts with what the floor gives in a window", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio()
      expect(yield* bucket.level).toBe(100)
      expect(yield* drain(bucket)).toBe(100)
    })
  )

  it.effect.each(ratios)("grants $retries retries for three thousand requests at $ratio", ({ ratio, retries }) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ ratio, floorPerSecond: 0 })
      yield* Effect.replicateEffect(start(bucket), 3000)
      expect(yield* drain(bucket)).toBe(retries)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { ratio: 0.999_999, retries: 1 },
    { ratio: 0.999_998, retries: 0 }
  ])("grants a retry that lacks only a millionth: $retries at $ratio", ({ ratio, retries }) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ ratio, floorPerSecond: 0 })
      yield* start(bucket)
      expect(yield* drain(bucket)).toBe(retries)
    }).pipe(VirtualClock.run)
  )

  it.effect("gets credit when a first attempt starts, and from nothing else", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ ratio: 0.5, floorPerSecond: 0 })
      yield* Effect.forEach([2, 3, 4], (attempt) => start(bucket, attempt))
      for (const attempt of [1, 2]) {
        yield* succeed(bucket, attempt)
        yield* fail(bucket, Verdict.server, attempt)
        yield* abandon(bucket, attempt)
      }
      expect(yield* bucket.level).toBe(0)
      yield* Effect.replicateEffect(start(bucket), 2)
      expect(yield* bucket.level).toBe(1)
    }).pipe(VirtualClock.run)
  )

  // As Finagle does, whose budget gets its deposit when the request is sent.
  it.effect("grants the retry of a call that fails while all others are under way", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ ratio: 0.2, floorPerSecond: 0 })
      const call = (index: number) => {
        const { attempt, count } = scripted(index === 0 ? ["Server", "ok"] : ["ok"])
        const slow = Effect.zipRight(Effect.sleep(index === 0 ? "1 second" : "5 seconds"), attempt)
        return Effect.map(Retry.retry(slow, { ...policy, bucket }), () => count.attempts)
      }
      const attempts = yield* Effect.forEach(Array.from({ length: 100 }), (_, index) => call(index), {
        concurrency: "unbounded"
      })
      expect(attempts.slice(0, 2)).toEqual([2, 1])
    }).pipe(VirtualClock.run)
  )

  // com.twitter.finagle.service.RetryBudget: percentCanRetry may be 0, and 2.0 allows two retries per request.
  it.effect.each([
    { ratio: 0, floorPerSecond: 1, retries: 10 },
    { ratio: 0, floorPerSecond: 0, retries: 0 },
    { ratio: 2, floorPerSecond: 0, retries: 6 }
  ])("grants $retries retries for three requests at $ratio and $floorPerSecond per second", ({ retries, ...options }) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio(options)
      yield* Effect.replicateEffect(start(bucket), 3)
      expect(yield* drain(bucket)).toBe(retries)
    }).pipe(VirtualClock.run)
  )

  it.effect("forgets requests after the window and a hundredth of it", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ ratio: 1, floorPerSecond: 0, window: "20 seconds" })
      yield* Effect.replicateEffect(start(bucket), 5)
      yield* Effect.sleep("20199 millis")
      expect(yield* bucket.level).toBe(5)
      yield* Effect.sleep("1 millis")
      expect(yield* bucket.level).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants no more than the floor's share in any window, also across its edges", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ floorPerSecond: 10, window: "10 seconds" })
      yield* Effect.sleep("99 millis")
      expect(yield* drain(bucket)).toBe(100)
      // A window later, and still in the slot that the window ends in.
      yield* Effect.sleep("10 seconds")
      expect(yield* drain(bucket)).toBe(0)
      yield* Effect.sleep("1 millis")
      expect(yield* drain(bucket)).toBe(100)
    }).pipe(VirtualClock.run)
  )

  it.effect("shows no tokens, and no debt, when requests are forgotten before the retries they paid for", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ ratio: 1, floorPerSecond: 1, window: "10 seconds" })
      yield* Effect.replicateEffect(start(bucket), 50)
      yield* Effect.sleep("9 seconds")
      expect(yield* drain(bucket)).toBe(60)
      yield* Effect.sleep("2 seconds")
      expect(yield* bucket.level).toBe(0)
      yield* Effect.sleep("9 seconds")
      expect(yield* bucket.level).toBe(10)
    }).pipe(VirtualClock.run)
  )

  it.effect("gets back the very retry that is refunded, and no tokens from a forgotten one", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ floorPerSecond: 1, window: "10 seconds" })
      const early = yield* acquire(bucket)
      yield* Effect.sleep("5 seconds")
      const late = yield* acquire(bucket)
      yield* Option.getOrThrow(late).refund
      expect(yield* bucket.level).toBe(9)
      yield* Effect.sleep("5099 millis")
      expect(yield* bucket.level).toBe(9)
      yield* Effect.sleep("1 millis")
      expect(yield* bucket.level).toBe(10)
      yield* Option.getOrThrow(early).refund
      expect(yield* bucket.level).toBe(10)
    }).pipe(VirtualClock.run)
  )

  it.effect("forgets as before when the wall clock is set back", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio({ floorPerSecond: 1, window: "10 seconds" })
      yield* VirtualClock.setWallTime("1 day")
      expect(yield* drain(bucket)).toBe(10)
      yield* VirtualClock.stepBack("1 hour")
      expect(yield* drain(bucket)).toBe(0)
      yield* Effect.sleep("11 seconds")
      expect(yield* drain(bucket)).toBe(10)
    }).pipe(VirtualClock.run)
  )

  // The floor of Finagle, tower and Linkerd is per client: their "20 %" is 120 % at 10 requests per second each.
  it.effect("adds its floor once for each client that has a bucket of its own", () =>
    Effect.gen(function* () {
      const clients = 4
      const buckets = yield* Effect.replicateEffect(
        TokenBucket.requestRatio({ ratio: 0.2, floorPerSecond: 10 }),
        clients
      )
      let requests = 0
      let retries = 0
      const second = Effect.gen(function* () {
        for (let n = 0; n < 10; n++) {
          yield* Effect.sleep("100 millis")
          for (const bucket of buckets) {
            requests += 1
            yield* start(bucket)
            retries += yield* drain(bucket)
          }
        }
      })
      yield* Effect.replicateEffect(second, 11)
      requests = retries = 0
      yield* Effect.replicateEffect(second, 101)
      expect(1 + retries / requests).toBeGreaterThan(2.18)
      expect(1 + retries / requests).toBeLessThanOrEqual(2.2)
    }).pipe(VirtualClock.run)
  )
})

const refused = (field: keyof Options, allowed: string, values: ReadonlyArray<number>) =>
  values.map((value) => ({
    field,
    value,
    message: `TokenBucket.requestRatio: ${field} must be ${allowed}, got ${value}`
  }))

describe("TokenBucket.requestRatio bad arguments", () => {
  it.each([
    ...refused("ratio", ">= 0", [-0.1, NaN, Infinity]),
    ...refused("floorPerSecond", ">= 0", [-1, NaN, Infinity]),
    ...refused("window", "a finite duration >= 1s", [0, 999, -1, NaN, Infinity])
  ])("refuses $value as $field", ({ field, message, value }) => {
    expect(() => TokenBucket.requestRatio({ [field]: value })).toThrow(message)
  })

  it.each<Duration.DurationInput>(["1 second", "1 day"])("accepts a window of %s", (window) => {
    const level = Effect.flatMap(TokenBucket.requestRatio({ window, floorPerSecond: 0 }), ({ level }) => level)
    expect(Effect.runSync(level)).toBe(0)
  })
})
