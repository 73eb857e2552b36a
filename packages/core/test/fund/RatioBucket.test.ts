import { RetryBucket } from "@effect-retry/core"
import { RetryBucketContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, it } from "@effect/vitest"
import type { Duration } from "effect"
import { Effect, Option } from "effect"
import { operate, take } from "./Funded.ts"

const { layerRequestRatio, layerSuccessRatio, makeRequestRatio, makeSuccessRatio } = RetryBucket

RetryBucketContract.suite(
  vitest,
  "RetryBucket.layerSuccessRatio",
  layerSuccessRatio(RetryBucket.Default, { ratio: 0.1, capacity: 10 })
)
RetryBucketContract.suite(
  vitest,
  "RetryBucket.layerSuccessRatio with a floor",
  layerSuccessRatio(RetryBucket.Default, { ratio: 0.3, capacity: 2.5, floorPerSecond: 1 })
)
RetryBucketContract.suite(vitest, "RetryBucket.layerRequestRatio", layerRequestRatio(RetryBucket.Default), {
  capacity: Infinity
})

const succeeds = (bucket: RetryBucket.RetryBucket, attempt = 1) =>
  bucket.ended({ _tag: "Succeeded", attempt, cost: attempt === 1 ? 0 : 1 })

const fails = (bucket: RetryBucket.RetryBucket, attempt = 1) =>
  bucket.ended({ _tag: "Failed", attempt, kind: Option.some("Server") })

const isGranted = (bucket: RetryBucket.RetryBucket) => Effect.map(take(bucket), Option.isSome)

/** Takes until it is refused; answers how often it was granted. */
const drain = (bucket: RetryBucket.RetryBucket) =>
  Effect.iterate(0, {
    while: (count) => count >= 0 && count < 100_000,
    body: (count) => Effect.map(isGranted(bucket), (granted) => (granted ? count + 1 : -1 - count))
  }).pipe(Effect.map((last) => -1 - last))

// tower-rs/tower 8358ee7, tower/src/retry/budget/tps_budget.rs: there a retry costs trunc(1 / ratio), so 0.7 is as good as 1.
const ratios = [
  { ratio: 0.7, retries: 6300 },
  { ratio: 0.75, retries: 6750 },
  { ratio: 0.6, retries: 5400 },
  { ratio: 0.4, retries: 3600 },
  { ratio: 0.3, retries: 2700 },
  { ratio: 0.15, retries: 1350 },
  { ratio: 1, retries: 9000 },
  { ratio: 0.1, retries: 900 }
]

describe("RetryBucket.makeSuccessRatio", () => {
  it.effect("starts full, and pays each retry with a token", () =>
    Effect.gen(function* () {
      const bucket = yield* makeSuccessRatio({ ratio: 0.1, capacity: 3 })
      expect(yield* bucket.level.get).toBe(3)
      expect(yield* drain(bucket)).toBe(3)
      expect(yield* bucket.level.get).toBe(0)
    })
  )

  it.effect("grants one retry for ten successes at a tenth, first or later ones", () =>
    Effect.gen(function* () {
      const bucket = yield* makeSuccessRatio({ ratio: 0.1, capacity: 3 })
      yield* drain(bucket)
      yield* Effect.forEach([1, 2, 3, 1, 2, 3, 1, 2, 3], (attempt) => succeeds(bucket, attempt))
      expect(yield* isGranted(bucket)).toBe(false)
      yield* succeeds(bucket)
      expect([yield* isGranted(bucket), yield* isGranted(bucket)]).toEqual([true, false])
    })
  )

  it.effect("is fed neither by failures nor by time", () =>
    Effect.gen(function* () {
      const bucket = yield* makeSuccessRatio({ ratio: 1, capacity: 3 })
      yield* drain(bucket)
      yield* Effect.replicateEffect(fails(bucket), 10)
      yield* Effect.sleep("365 days")
      expect(yield* bucket.level.get).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("returns nothing of what a retry cost, but its success's share", () =>
    Effect.gen(function* () {
      const bucket = yield* makeSuccessRatio({ ratio: 0.25, capacity: 10 })
      expect(yield* operate(bucket, ["Server", "ok"])).toEqual({ attempts: 2, outcome: "ok" })
      expect(yield* bucket.level.get).toBe(9.25)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants the floor without any success, up to the capacity", () =>
    Effect.gen(function* () {
      const bucket = yield* makeSuccessRatio({ ratio: 0.1, capacity: 5, floorPerSecond: 2 })
      expect(yield* drain(bucket)).toBe(5)
      yield* Effect.sleep("1 second")
      expect(yield* drain(bucket)).toBe(2)
      yield* Effect.sleep("499 millis")
      expect(yield* drain(bucket)).toBe(0)
      yield* Effect.sleep("1 millis")
      expect(yield* drain(bucket)).toBe(1)
      yield* Effect.sleep("1 hour")
      expect(yield* drain(bucket)).toBe(5)
    }).pipe(VirtualClock.run)
  )

  it.effect.each(ratios)("grants $retries retries for nine thousand successes at $ratio", ({ ratio, retries }) =>
    Effect.gen(function* () {
      const bucket = yield* makeSuccessRatio({ ratio, capacity: 10_000 })
      yield* drain(bucket)
      yield* Effect.replicateEffect(succeeds(bucket), 9000)
      expect(yield* drain(bucket)).toBe(retries)
    })
  )
})

describe("RetryBucket.makeRequestRatio", () => {
  it.effect("starts with what the floor gives in a window", () =>
    Effect.gen(function* () {
      const bucket = yield* makeRequestRatio()
      expect(yield* bucket.level.get).toBe(100)
      expect(yield* drain(bucket)).toBe(100)
    })
  )

  it.effect.each(ratios)("grants $retries retries for nine thousand requests at $ratio", ({ ratio, retries }) =>
    Effect.gen(function* () {
      const bucket = yield* makeRequestRatio({ ratio, floorPerSecond: 0 })
      yield* Effect.replicateEffect(succeeds(bucket), 4500)
      yield* Effect.replicateEffect(fails(bucket), 4500)
      expect(yield* drain(bucket)).toBe(retries)
    }).pipe(VirtualClock.run)
  )

  it.effect("is fed by first attempts only, however they end", () =>
    Effect.gen(function* () {
      const bucket = yield* makeRequestRatio({ ratio: 0.5, floorPerSecond: 0 })
      yield* Effect.forEach([2, 3, 4], (attempt) => Effect.zipRight(fails(bucket, attempt), succeeds(bucket, attempt)))
      expect(yield* bucket.level.get).toBe(0)
      yield* bucket.ended({ _tag: "Failed", attempt: 1, kind: Option.none() })
      yield* succeeds(bucket)
      expect(yield* bucket.level.get).toBe(1)
    }).pipe(VirtualClock.run)
  )

  it.effect("forgets requests after the window and a hundredth", () =>
    Effect.gen(function* () {
      const bucket = yield* makeRequestRatio({ ratio: 1, floorPerSecond: 0, window: "20 seconds" })
      yield* Effect.replicateEffect(succeeds(bucket), 5)
      yield* Effect.sleep("20199 millis")
      expect(yield* bucket.level.get).toBe(5)
      yield* Effect.sleep("1 millis")
      expect(yield* bucket.level.get).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants no more than the floor's share in any window, also across its edges", () =>
    Effect.gen(function* () {
      const bucket = yield* makeRequestRatio({ floorPerSecond: 10, window: "10 seconds" })
      yield* Effect.sleep("99 millis")
      expect(yield* drain(bucket)).toBe(100)
      // A window later, and still in the slot that the window ends in.
      yield* Effect.sleep("10 seconds")
      expect(yield* drain(bucket)).toBe(0)
      yield* Effect.sleep("1 millis")
      expect(yield* drain(bucket)).toBe(100)
    }).pipe(VirtualClock.run)
  )

  it.effect("shows no tokens, and no debt, where requests are forgotten before the retries they paid for", () =>
    Effect.gen(function* () {
      const bucket = yield* makeRequestRatio({ ratio: 1, floorPerSecond: 1, window: "10 seconds" })
      yield* Effect.replicateEffect(succeeds(bucket), 50)
      yield* Effect.sleep("9 seconds")
      expect(yield* drain(bucket)).toBe(60)
      yield* Effect.sleep("2 seconds")
      expect(yield* bucket.level.get).toBe(0)
      yield* Effect.sleep("9 seconds")
      expect(yield* bucket.level.get).toBe(10)
    }).pipe(VirtualClock.run)
  )

  it.effect("gets no tokens from a retry that is given back when it was forgotten already", () =>
    Effect.gen(function* () {
      const bucket = yield* makeRequestRatio({ floorPerSecond: 1, window: "10 seconds" })
      expect(yield* drain(bucket)).toBe(10)
      yield* Effect.sleep("10099 millis")
      yield* Effect.replicateEffect(bucket.giveBack(1), 5)
      expect(yield* bucket.level.get).toBe(5)
      yield* Effect.sleep("1 minute")
      expect(yield* bucket.level.get).toBe(10)
      yield* bucket.giveBack(1)
      expect(yield* bucket.level.get).toBe(10)
    }).pipe(VirtualClock.run)
  )

  it.effect("goes on after the clock has stepped back, and forgets as before", () =>
    Effect.gen(function* () {
      const bucket = yield* makeRequestRatio({ floorPerSecond: 1, window: "10 seconds" })
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
      const clients = 20
      const buckets = yield* Effect.replicateEffect(makeRequestRatio({ ratio: 0.2, floorPerSecond: 10 }), clients)
      let requests = 0
      let retries = 0
      const second = Effect.gen(function* () {
        for (let n = 0; n < 10; n++) {
          yield* Effect.sleep("100 millis")
          for (const bucket of buckets) {
            requests += 1
            yield* fails(bucket)
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

describe("RetryBucket ratio layers bad arguments", () => {
  const refused = (layer: string, field: string, allowed: string, values: ReadonlyArray<number>) =>
    values.map((value) => ({
      layer,
      field,
      value,
      message: `RetryBucket.${layer}: ${field} must be ${allowed}, got ${value}`
    }))

  it.each([
    ...refused("layerSuccessRatio", "ratio", "> 0 and <= 1", [0, -0.1, 1.01, NaN, Infinity]),
    ...refused("layerSuccessRatio", "capacity", ">= 1", [0, 0.99, -1, NaN, Infinity]),
    ...refused("layerSuccessRatio", "floorPerSecond", ">= 0", [-1, NaN, Infinity]),
    ...refused("layerRequestRatio", "ratio", "> 0 and <= 1", [0, -0.1, 1.01, NaN, Infinity]),
    ...refused("layerRequestRatio", "floorPerSecond", ">= 0", [-1, NaN, Infinity]),
    ...refused("layerRequestRatio", "window", "a finite duration >= 1s", [0, 999, -1, NaN, Infinity])
  ])("$layer refuses $value as $field", ({ field, layer, message, value }) => {
    const bad = { [field]: value }
    const build = () =>
      layer === "layerSuccessRatio"
        ? layerSuccessRatio(RetryBucket.Default, { ratio: 0.1, capacity: 10, ...bad })
        : layerRequestRatio(RetryBucket.Default, bad)
    expect(build).toThrow(message)
  })

  it.each(["ratio", "capacity"])("layerSuccessRatio refuses an absent %s", (field) => {
    const options = { ratio: 0.1, capacity: 10, [field]: undefined } as unknown as RetryBucket.SuccessRatio
    expect(() => layerSuccessRatio(RetryBucket.Default, options)).toThrow(`${field} must be`)
  })

  it.each<Duration.DurationInput>(["1 second", "1 day"])("layerRequestRatio accepts a window of %s", (window) => {
    expect(
      Effect.runSync(Effect.flatMap(makeRequestRatio({ window, floorPerSecond: 0 }), ({ level }) => level.get))
    ).toBe(0)
  })
})
