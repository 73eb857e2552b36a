import * as Millis from "@effect-retry/core/unstable/Millis"
import { describe, expect, it } from "@effect/vitest"

const { longestMillis } = Millis

describe("Millis.times", () => {
  it.each([
    [0, Infinity, 0],
    [0, 0, 0],
    [3, 0.5, 1.5],
    [1, Infinity, longestMillis],
    [longestMillis, 1, longestMillis],
    [longestMillis, 1 + 1e-9, longestMillis]
  ])("multiplies %d by %d to %d", (given, multiplier, product) => {
    expect(Millis.times(given, multiplier)).toBe(product)
  })
})

describe("Millis.longestMillis", () => {
  it("is what a signed 64-bit count of nanoseconds holds", () => {
    expect(BigInt(longestMillis)).toBe((2n ** 63n - 1n) / 1_000_000n)
  })
})

describe("Millis.longestTimerMillis", () => {
  it("is what a signed 32-bit count of milliseconds holds", () => {
    // https://nodejs.org/api/timers.html: a longer delay is set to 1 millisecond.
    expect(Millis.longestTimerMillis).toBe(2 ** 31 - 1)
  })
})

describe("Millis.wholeMillis", () => {
  it.each([
    [0, 0],
    [0.4, 1],
    [1, 1],
    [1.000_000_5, 1],
    [1.000_002, 2],
    [99.5, 100],
    [-3, 0],
    [1e300, longestMillis],
    [Infinity, longestMillis]
  ])("rounds %d up to %d, except for a floating-point error", (given, whole) => {
    expect(Millis.wholeMillis(given, Infinity)).toBe(whole)
  })

  it("never rounds above a cap", () => {
    expect(Millis.wholeMillis(99.2, 99.5)).toBe(99)
    expect(Millis.wholeMillis(99.2, 100)).toBe(100)
  })
})
