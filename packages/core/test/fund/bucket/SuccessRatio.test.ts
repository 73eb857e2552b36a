import { TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { drain, fail, isGranted, succeed } from "../Asking.ts"
import { operate } from "../Funded.ts"
import { ratios } from "../Ratios.ts"

describe("TokenBucket.successRatio", () => {
  it.effect("starts full, and pays each retry with a token", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 3 })
      expect(yield* bucket.level).toBe(3)
      expect(yield* drain(bucket)).toBe(3)
      expect(yield* bucket.level).toBe(0)
    })
  )

  it.effect("grants one retry for ten successes at a tenth, first or later ones", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 3 })
      yield* drain(bucket)
      yield* Effect.forEach([1, 2, 3, 1, 2, 3, 1, 2, 3], (attempt) => succeed(bucket, attempt))
      expect(yield* isGranted(bucket)).toBe(false)
      yield* succeed(bucket)
      expect([yield* isGranted(bucket), yield* isGranted(bucket)]).toEqual([true, false])
    })
  )

  it.effect("gets no tokens from failures or time", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio: 1, capacity: 3 })
      yield* drain(bucket)
      yield* Effect.replicateEffect(fail(bucket), 10)
      yield* Effect.sleep("365 days")
      expect(yield* bucket.level).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("puts in the ratio for the success of a retry, whatever it cost", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio: 0.25, capacity: 10 })
      expect(yield* operate(bucket, ["Server", "ok"])).toEqual({ attempts: 2, outcome: "ok" })
      expect(yield* bucket.level).toBe(9.25)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants the floor without any success, up to the capacity", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 5, floorPerSecond: 2 })
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

  it.effect.each(ratios)("grants $retries retries for three thousand successes at $ratio", ({ ratio, retries }) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio, capacity: 10_000 })
      yield* drain(bucket)
      yield* Effect.replicateEffect(succeed(bucket), 3000)
      expect(yield* drain(bucket)).toBe(retries)
    })
  )

  it.effect("grants as many retries as its level at the start, and no more", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio: 0.5, capacity: 10, initial: 2 })
      expect([yield* bucket.level, yield* drain(bucket)]).toEqual([2, 2])
    })
  )

  it.effect.each([
    { ratio: 0, retries: 0 },
    { ratio: 2, retries: 6 }
  ])("grants $retries retries for three successes at $ratio", ({ ratio, retries }) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio, capacity: 10, initial: 0 })
      yield* Effect.replicateEffect(succeed(bucket), 3)
      expect(yield* drain(bucket)).toBe(retries)
    })
  )
})

type Options = Parameters<typeof TokenBucket.successRatio>[0]

const refused = (field: keyof Options, allowed: string, values: ReadonlyArray<unknown>) =>
  values.map((value) => ({
    field,
    value,
    message: `TokenBucket.successRatio: ${field} must be ${allowed}, got ${value}`
  }))

describe("TokenBucket.successRatio bad arguments", () => {
  it.each([
    ...refused("ratio", ">= 0", [-0.1, NaN, Infinity]),
    ...refused("ratio", "given, as in TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })", [undefined]),
    ...refused("capacity", "given, as in TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })", [undefined]),
    ...refused("capacity", ">= 1", [0, 0.99, -1, NaN, Infinity]),
    ...refused("initial", ">= 0 and <= 10", [-1, 10.1, NaN]),
    ...refused("floorPerSecond", ">= 0", [-1, NaN, Infinity])
  ])("refuses $value as $field", ({ field, message, value }) => {
    expect(() => TokenBucket.successRatio({ ratio: 0.1, capacity: 10, [field]: value } as Options)).toThrow(message)
  })
})
