import { RetryBucket } from "@effect-retry/core"
import { RetryBucketContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Option, Ref, Stream } from "effect"
import { operate, take } from "./Funded.ts"

const { layerKeyed, makeKeyed, makeQuota } = RetryBucket

RetryBucketContract.suite(
  vitest,
  "RetryBucket.layerKeyed",
  layerKeyed(RetryBucket.Default, { bucket: makeQuota({ capacity: 30 }), maxKeys: 2, idleTimeToLive: "1 minute" })
)
RetryBucketContract.suite(
  vitest,
  "RetryBucket.layerKeyed that waits",
  layerKeyed(RetryBucket.Default, {
    bucket: makeQuota({ capacity: 30, refillPerSecond: 0.5, whenShort: "wait" }),
    maxKeys: 1,
    idleTimeToLive: "1 minute"
  }),
  { waits: true }
)

const at =
  (key: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.provideService(self, RetryBucket.Key, key)

/** Ten tokens per key, a token per retry; counts how many buckets were made. */
const counted = (options: Partial<RetryBucket.Keyed> & { readonly refillPerSecond?: number } = {}) =>
  Effect.gen(function* () {
    const made = yield* Ref.make(0)
    const { refillPerSecond = 0, ...keyed } = options
    const one = makeQuota({ capacity: 10, cost: { orElse: 1 }, refillPerSecond })
    const bucket = yield* makeKeyed({
      bucket: Effect.zipRight(
        Ref.update(made, (n) => n + 1),
        one
      ),
      maxKeys: 3,
      idleTimeToLive: "1 minute",
      ...keyed
    })
    yield* Ref.set(made, 0)
    const spend = (key: string, count: number) => at(key)(Effect.replicateEffect(take(bucket), count))
    const level = (key: string) => at(key)(bucket.level.get)
    return { bucket, made: Ref.get(made), spend, level }
  })

describe("RetryBucket.makeKeyed", () => {
  it.effect("holds a bucket for each key", () =>
    Effect.gen(function* () {
      const { level, spend } = yield* counted()
      yield* spend("a", 4)
      yield* spend("b", 10)
      expect([yield* level("a"), yield* level("b"), yield* level("c")]).toEqual([6, 0, 10])
      expect(yield* spend("b", 1)).toEqual([Option.none()])
      expect(yield* spend("a", 1)).toEqual([Option.some(1)])
    })
  )

  it.effect("takes, gives back and hears under the key of the operation", () =>
    Effect.gen(function* () {
      const { bucket, level } = yield* counted()
      yield* at("a")(operate(bucket, ["Server", "Server", "bad request"]))
      yield* at("b")(operate(bucket, ["Server", "ok"]))
      const waits = yield* Effect.fork(at("c")(operate(bucket, ["Server"])))
      yield* Effect.sleep("500 millis")
      expect(yield* level("c")).toBe(9)
      yield* Fiber.interrupt(waits)
      expect([yield* level("a"), yield* level("b"), yield* level("c")]).toEqual([8, 10, 10])
    }).pipe(VirtualClock.run)
  )

  it.effect("counts operations without a key as one more key", () =>
    Effect.gen(function* () {
      const { bucket, level } = yield* counted()
      yield* take(bucket)
      expect([yield* bucket.level.get, yield* level(""), yield* level("a")]).toEqual([9, 9, 10])
    })
  )

  it.effect("lets keys beyond the bound share one bucket", () =>
    Effect.gen(function* () {
      const { level, made, spend } = yield* counted()
      for (const key of ["a", "b", "c", "d", "e", "f"]) yield* spend(key, 1)
      expect(yield* Effect.forEach(["a", "b", "c", "d", "e", "f"], level)).toEqual([9, 9, 9, 7, 7, 7])
      expect(yield* made).toBe(3)
    })
  )

  it.effect("makes no more than the bound for ten thousand keys", () =>
    Effect.gen(function* () {
      const { made, spend } = yield* counted({ maxKeys: 10 })
      for (let key = 0; key < 10_000; key++) yield* spend(`${key}`, 1)
      expect(yield* made).toBe(10)
    })
  )

  it.effect("drops an idle bucket that is as a new one would be", () =>
    Effect.gen(function* () {
      const { level, made, spend } = yield* counted({ maxKeys: 1, refillPerSecond: 1 })
      yield* spend("a", 10)
      yield* Effect.sleep("59 seconds")
      yield* spend("b", 1)
      expect(yield* made).toBe(1)
      yield* Effect.sleep("1 second")
      yield* spend("b", 3)
      expect(yield* made).toBe(2)
      // b has a bucket of its own now; a, which had lost nothing, shares with all others.
      expect([yield* level("b"), yield* level("a")]).toEqual([7, 10])
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps an idle bucket that is not full, however long", () =>
    Effect.gen(function* () {
      const { level, made, spend } = yield* counted({ maxKeys: 1 })
      yield* spend("a", 1)
      yield* Effect.sleep("365 days")
      yield* spend("b", 1)
      expect(yield* made).toBe(1)
      expect([yield* level("a"), yield* level("b")]).toEqual([9, 9])
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps a full bucket that is in use", () =>
    Effect.gen(function* () {
      const { level, made, spend } = yield* counted({ maxKeys: 1 })
      for (let second = 0; second < 100; second++) {
        yield* level("a")
        yield* Effect.sleep("1 second")
      }
      yield* spend("b", 1)
      expect(yield* made).toBe(1)
    }).pipe(VirtualClock.run)
  )

  it.effect("never gives a key that comes back more than its bucket would have", () =>
    Effect.gen(function* () {
      const { level, spend } = yield* counted({ maxKeys: 1, refillPerSecond: 0.1 })
      yield* spend("a", 10)
      for (let minute = 1; minute <= 3; minute++) {
        yield* Effect.sleep("59 seconds")
        yield* level("b")
        yield* level("c")
        expect(yield* level("a")).toBeCloseTo(Math.min(10, minute * 5.9), 6)
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("drops idle buckets also after the clock has stepped back", () =>
    Effect.gen(function* () {
      const { level, made, spend } = yield* counted({ maxKeys: 1 })
      yield* VirtualClock.setWallTime("1 day")
      yield* level("a")
      yield* VirtualClock.stepBack("12 hours")
      yield* level("b")
      expect(yield* made).toBe(1)
      yield* Effect.sleep("1 minute")
      yield* spend("b", 1)
      expect(yield* made).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect("lets a key give back to the bucket it took from, shared or its own", () =>
    Effect.gen(function* () {
      const { bucket, level, made, spend } = yield* counted({ maxKeys: 1 })
      yield* level("a")
      yield* spend("b", 10)
      yield* Effect.sleep("1 minute")
      // There is room now, but b still has something to give back to the shared bucket.
      yield* at("b")(bucket.giveBack(4))
      expect([yield* level("b"), yield* level("c"), yield* made]).toEqual([4, 4, 1])
      yield* at("b")(bucket.giveBack(6))
      expect([yield* level("b"), yield* made]).toEqual([10, 2])
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps a request ratio whose credits and retries cancel out but expire one after the other", () =>
    Effect.gen(function* () {
      const each = RetryBucket.makeRequestRatio({ ratio: 1, floorPerSecond: 1, window: "10 seconds" })
      const { bucket, spend } = yield* counted({ bucket: each, idleTimeToLive: "500 millis" })
      const request = bucket.ended({ _tag: "Failed", attempt: 1, kind: Option.none() })
      yield* at("a")(Effect.replicateEffect(request, 10))
      yield* Effect.sleep("9 seconds")
      yield* spend("a", 10)
      yield* Effect.sleep("600 millis")
      yield* spend("b", 1)
      yield* Effect.sleep("900 millis")
      expect((yield* spend("a", 20)).filter(Option.isSome)).toEqual([])
    }).pipe(VirtualClock.run)
  )

  it.effect("asks about a few idle buckets at a time, however many may not be dropped", () =>
    Effect.gen(function* () {
      const asked = yield* Ref.make(0)
      const each = Effect.map(makeQuota({ capacity: 10, cost: { orElse: 1 } }), (bucket) => ({
        ...bucket,
        isFresh: Effect.as(
          Ref.update(asked, (n) => n + 1),
          false
        )
      }))
      const { spend } = yield* counted({ bucket: each, maxKeys: 100 })
      for (let i = 0; i < 100; i++) yield* spend(`${i}`, 1)
      yield* Effect.sleep("1 hour")
      yield* Ref.set(asked, 0)
      yield* spend("one more", 1)
      expect(yield* Ref.get(asked)).toBeLessThanOrEqual(10)
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps its bound where many keys come at once and buckets take time to make", () =>
    Effect.gen(function* () {
      const slow = Effect.delay(makeQuota({ capacity: 10, cost: { orElse: 1 } }), "1 second")
      const { level, spend } = yield* counted({ bucket: slow })
      const keys = Array.from({ length: 10 }, (_, index) => `${index}`)
      yield* Effect.forEach(keys, (key) => spend(key, 1), { concurrency: "unbounded" })
      // Three buckets of their own, and one that seven keys share.
      const levels = yield* Effect.forEach(keys, level)
      expect(levels.toSorted((a, b) => a - b)).toEqual([3, 3, 3, 3, 3, 3, 3, 9, 9, 9])
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps a bucket that is used while it is judged", () =>
    Effect.gen(function* () {
      const quota = makeQuota({ capacity: 10, cost: { orElse: 1 } })
      const slowToRead = Effect.map(quota, (bucket) => ({
        ...bucket,
        level: { ...bucket.level, get: Effect.zipLeft(bucket.level.get, Effect.sleep("1 second")) }
      }))
      const { level, spend } = yield* counted({ bucket: slowToRead, maxKeys: 1 })
      yield* level("a")
      yield* Effect.sleep("2 minutes")
      const judging = yield* Effect.fork(spend("b", 1))
      yield* Effect.sleep("500 millis")
      yield* spend("a", 5)
      yield* Fiber.join(judging)
      expect(yield* level("a")).toBe(5)
    }).pipe(VirtualClock.run)
  )

  it.effect("shows the changes of the key under which they are followed", () =>
    Effect.gen(function* () {
      const { bucket, spend } = yield* counted()
      const seen = yield* Effect.fork(at("a")(Stream.runCollect(Stream.take(bucket.level.changes, 3))))
      yield* Effect.sleep("1 second")
      yield* spend("b", 5)
      yield* spend("a", 2)
      expect(Chunk.toReadonlyArray(yield* Fiber.join(seen))).toEqual([10, 9, 8])
    }).pipe(VirtualClock.run)
  )
})

describe("RetryBucket.layerKeyed bad arguments", () => {
  const refused = (field: string, allowed: string, values: ReadonlyArray<number>) =>
    values.map((value) => ({
      field,
      value,
      message: `RetryBucket.layerKeyed: ${field} must be ${allowed}, got ${value}`
    }))

  it.each([
    ...refused("maxKeys", "a whole number >= 1", [0, -1, 1.5, NaN, Infinity]),
    ...refused("idleTimeToLive", "a finite duration >= 1ms", [0, -1, NaN, Infinity])
  ])("refuses $value as $field", ({ field, message, value }) => {
    const options = { bucket: makeQuota(), maxKeys: 10, idleTimeToLive: "1 hour", [field]: value } as const
    expect(() => layerKeyed(RetryBucket.Default, options)).toThrow(message)
  })

  it.each(["maxKeys", "idleTimeToLive"])("refuses an absent %s", (field) => {
    const options = { bucket: makeQuota(), maxKeys: 10, idleTimeToLive: "1 hour", [field]: undefined }
    expect(() => layerKeyed(RetryBucket.Default, options as unknown as RetryBucket.Keyed)).toThrow(`${field} must be`)
  })
})

describe("RetryBucket.makeChargingKeyed", () => {
  it.effect("charges first attempts by key", () =>
    Effect.gen(function* () {
      const each = RetryBucket.makeChargingQuota({ capacity: 10, cost: { orElse: 1 }, firstCost: 6 })
      const options = { bucket: each, maxKeys: 2, idleTimeToLive: "1 minute" } as const
      const bucket = yield* RetryBucket.makeChargingKeyed(options)
      const first = bucket.takeFirst((self) => self)
      expect(yield* at("a")(first)).toEqual(Option.some(6))
      expect(yield* at("a")(first)).toEqual(Option.none())
      expect(yield* at("b")(first)).toEqual(Option.some(6))
    })
  )

  it("names itself in its errors", () => {
    const bucket = RetryBucket.makeChargingQuota({ firstCost: 1 })
    expect(() => RetryBucket.makeChargingKeyed({ bucket, maxKeys: 0, idleTimeToLive: "1 minute" })).toThrow(
      "RetryBucket.layerChargingKeyed: maxKeys must be a whole number >= 1, got 0"
    )
  })
})
