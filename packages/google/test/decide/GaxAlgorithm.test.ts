import type { RetrySettings } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { read } from "../../src/accept/RetrySettingsRecord.ts"
import * as GaxAlgorithm from "../../src/decide/GaxAlgorithm.ts"
import { fast, overriding } from "../support/Settings.ts"

// Source of all cases without another one: googleapis/sdk-platform-java 56aa343, gax-java,
// ExponentialRetryAlgorithmTest.java.

const millis = (settings: RetrySettings.Fields) => read("test", settings)

/** The attempts after the first, without jitter, on a clock that stands still. */
const following = (settings: RetrySettings.Fields, count: number) => {
  let attempt = GaxAlgorithm.first(millis(settings))
  return Array.from({ length: count }, () => (attempt = GaxAlgorithm.next(millis(settings), attempt, 0, undefined)))
}

describe("GaxAlgorithm.first", () => {
  it("waits for nothing and has the initial timeout", () => {
    expect(GaxAlgorithm.first(millis(fast))).toEqual({
      attemptCount: 0,
      retryDelay: 0,
      randomizedRetryDelay: 0,
      rpcTimeout: 1
    })
    expect(GaxAlgorithm.first(millis(overriding)).rpcTimeout).toBe(2)
  })

  it.each([
    { totalTimeout: 10, rpcTimeout: 10 },
    { totalTimeout: 20, rpcTimeout: 20 },
    { totalTimeout: 0, rpcTimeout: 100 }
  ])("keeps its timeout within a total timeout of $totalTimeout", ({ rpcTimeout, totalTimeout }) => {
    const settings = { ...fast, totalTimeout, initialRpcTimeout: 100, rpcTimeoutMultiplier: 1, maxRpcTimeout: 100 }
    expect(GaxAlgorithm.first(millis(settings)).rpcTimeout).toBe(rpcTimeout)
  })

  it("has no timeout if none is set, even with a total timeout", () => {
    expect(GaxAlgorithm.first(millis({ totalTimeout: 10 })).rpcTimeout).toBe(0)
    expect(following({ totalTimeout: 10, rpcTimeoutMultiplier: 2, maxRpcTimeout: 5 }, 1)[0]?.rpcTimeout).toBe(0)
  })
})

describe("GaxAlgorithm.next", () => {
  it.each([
    {
      settings: fast,
      expected: [
        { attemptCount: 1, retryDelay: 1, rpcTimeout: 2 },
        { attemptCount: 2, retryDelay: 2, rpcTimeout: 4 }
      ]
    },
    {
      settings: overriding,
      expected: [
        { attemptCount: 1, retryDelay: 2, rpcTimeout: 6 },
        { attemptCount: 2, retryDelay: 6, rpcTimeout: 18 }
      ]
    }
  ])("multiplies delay and timeout: $expected", ({ expected, settings }) => {
    expect(following(settings, 2)).toMatchObject(expected)
  })

  // Source: computed by an independent model of the algorithm.
  it("cuts delays and timeouts off to whole milliseconds at every step", () => {
    const series = [100, 130, 169, 219, 284, 369, 479, 622, 808, 1050]
    const delays = { initialRetryDelay: 100, retryDelayMultiplier: 1.3, maxRetryDelay: 60_000 }
    const timeouts = { initialRpcTimeout: 100, rpcTimeoutMultiplier: 1.3, maxRpcTimeout: 60_000 }
    const attempts = following({ maxAttempts: 20, ...delays, ...timeouts }, 10)
    expect(attempts.map(({ retryDelay }) => retryDelay)).toEqual(series)
    expect([100, ...attempts.map(({ rpcTimeout }) => rpcTimeout)].slice(0, 10)).toEqual(series)
  })

  // Source: https://docs.cloud.google.com/java/docs/client-retries.
  it("keeps delays below their maximum", () => {
    const settings = { maxAttempts: 9, initialRetryDelay: 100, retryDelayMultiplier: 2, maxRetryDelay: 500 }
    expect(following(settings, 6).map(({ retryDelay }) => retryDelay)).toEqual([100, 200, 400, 500, 500, 500])
  })

  it("clips the timeout to what the total timeout leaves after the delay, and goes on from there", () => {
    const settings = millis({ ...fast, initialRpcTimeout: 100, maxRpcTimeout: 1_000, totalTimeout: 500 })
    const second = GaxAlgorithm.next(settings, GaxAlgorithm.first(settings), 350.4, undefined)
    expect(second).toMatchObject({ retryDelay: 1, rpcTimeout: 148 })
    expect(GaxAlgorithm.next(settings, second, 350.4, undefined)).toMatchObject({ retryDelay: 2, rpcTimeout: 147 })
  })

  it("does not overflow", () => {
    const most = 9_223_372_036_854
    const greatest = { maxAttempts: 9, initialRetryDelay: 1, retryDelayMultiplier: 1e308, maxRetryDelay: most }
    expect(following(greatest, 3).map(({ retryDelay }) => retryDelay)).toEqual([1, most, most])
  })
})

describe("GaxAlgorithm.drawn", () => {
  // Source: the guide's example says 1 to the bound, and the library draws from 0 to one below it.
  it.each([100, 200, 400, 500, 1, 9_223_372_036_854])("draws a whole number below %d", (bound) => {
    expect(GaxAlgorithm.drawn(bound, 0)).toBe(0)
    expect(GaxAlgorithm.drawn(bound, 1 - 2 ** -53)).toBe(bound - 1)
  })

  it("draws nothing from no delay", () => {
    expect(GaxAlgorithm.drawn(0, 0.5)).toBe(0)
  })

  it("draws each whole number equally often", () => {
    const counts = new Map<number, number>()
    for (let i = 0; i < 1_000; i++) {
      const millis = GaxAlgorithm.drawn(8, i / 1_000)
      counts.set(millis, (counts.get(millis) ?? 0) + 1)
    }
    expect([...counts]).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((millis) => [millis, 125]))
  })

  it("leaves the bound as it was, so that the next delay grows from it", () => {
    const settings = millis(fast)
    const second = GaxAlgorithm.next(settings, GaxAlgorithm.next(settings, GaxAlgorithm.first(settings), 0, 0), 0, 0)
    expect(second).toMatchObject({ retryDelay: 2, randomizedRetryDelay: 0 })
    const unjittered = GaxAlgorithm.next(millis({ ...fast, jittered: false }), second, 0, 0)
    expect(unjittered).toMatchObject({ retryDelay: 4, randomizedRetryDelay: 4 })
  })
})

describe("GaxAlgorithm.refusal", () => {
  const attempt = (attemptCount: number, randomizedRetryDelay = 0): GaxAlgorithm.TimedAttempt => ({
    ...GaxAlgorithm.first(millis(fast)),
    attemptCount,
    randomizedRetryDelay
  })

  it("lets attempts be made until their number is reached", () => {
    const refusals = [0, 1, 2, 3, 4, 5, 6].map((count) => GaxAlgorithm.refusal(millis(fast), attempt(count), 0))
    expect(refusals).toEqual([...Array.from({ length: 6 }, () => undefined), "maxAttempts"])
  })

  it("lets attempts be made until the total timeout, their delay included, is reached", () => {
    const refusals = [60, 120, 180, 240].map((elapsed, i) =>
      GaxAlgorithm.refusal(millis(fast), attempt(i + 1, [0, 1, 2, 4][i]), elapsed)
    )
    expect(refusals).toEqual([undefined, undefined, undefined, "totalTimeout"])
  })

  it.each([
    { elapsed: 800, delay: 200, refusal: "totalTimeout" },
    { elapsed: 800, delay: 199, refusal: undefined },
    { elapsed: 800.1, delay: 199, refusal: "totalTimeout" },
    { elapsed: 799.9, delay: 199, refusal: undefined }
  ])("counts whole milliseconds: $elapsed and $delay of a thousand", ({ delay, elapsed, refusal }) => {
    expect(GaxAlgorithm.refusal(millis({ totalTimeout: 1_000 }), attempt(1, delay), elapsed)).toBe(refusal)
  })

  it("refuses nothing when no limit is set", () => {
    expect(GaxAlgorithm.refusal(millis({}), attempt(1), 0)).toBe("noLimit")
    expect(GaxAlgorithm.refusal(millis({ maxAttempts: 2 }), attempt(1), 1e9)).toBeUndefined()
  })
})

describe("GaxAlgorithm.delayOf and GaxAlgorithm.rpcTimeoutOf", () => {
  const multiplier = fc.oneof(fc.constantFrom(1, 1.3, 1.5, 2, 10), fc.double({ min: 1, max: 3, noNaN: true }))

  it.prop(
    "are the delay, and the timeout clipped to what is left, that the steps have come to",
    [
      fc.record({
        initialRetryDelay: fc.nat(1_000),
        more: fc.nat(100_000),
        retryDelayMultiplier: multiplier,
        initialRpcTimeout: fc.integer({ min: 1, max: 1_000 }),
        moreTimeout: fc.nat(10_000),
        rpcTimeoutMultiplier: multiplier,
        totalTimeout: fc.oneof(fc.constant(0), fc.nat(50_000))
      }),
      fc.array(fc.nat(2_000), { minLength: 1, maxLength: 30 })
    ],
    ([{ more, moreTimeout, ...some }, takes]) => {
      const settings = millis({
        ...some,
        maxRetryDelay: some.initialRetryDelay + more,
        maxRpcTimeout: some.initialRpcTimeout + moreTimeout
      })
      const { totalTimeout } = settings
      let attempt = GaxAlgorithm.first(settings)
      let elapsed = 0
      for (const [i, take] of takes.entries()) {
        elapsed += take
        attempt = GaxAlgorithm.next(settings, attempt, elapsed, undefined)
        elapsed += attempt.retryDelay
        const left = totalTimeout === 0 ? Infinity : totalTimeout - elapsed
        if (left <= 0) break
        expect(attempt.retryDelay).toBe(GaxAlgorithm.delayOf(settings, i + 1))
        expect(attempt.rpcTimeout).toBe(Math.min(GaxAlgorithm.rpcTimeoutOf(settings, i + 2), left))
      }
    },
    { fastCheck: { seed: Number(process.env["LAW_SEED"] ?? 20_261_122), numRuns: 500 } }
  )
})
