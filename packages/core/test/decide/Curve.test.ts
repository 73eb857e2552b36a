import { Curve } from "@effect-retry/core"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { law } from "../support/Laws.ts"

describe("Curve.boundMillis", () => {
  // Unrounded; the golden tables of the delays are those of Backoff.
  it.each<[string, Curve.Curve, ReadonlyArray<number | undefined>]>([
    ["Constant", { _tag: "Constant", delayMillis: 2.5 }, [2.5, 2.5, 2.5, 2.5, 2.5, 2.5]],
    ["Linear", { _tag: "Linear", baseMillis: 1, stepMillis: 0.25 }, [1, 1.25, 1.5, 1.75, 2, 2.25]],
    ["Polynomial", { _tag: "Polynomial", baseMillis: 0.5, degree: 3 }, [0.5, 4, 13.5, 32, 62.5, 108]],
    ["Exponential", { _tag: "Exponential", baseMillis: 100, factor: 1.5 }, [100, 150, 225, 337.5, 506.25, 759.375]],
    ["Fibonacci", { _tag: "Fibonacci", baseMillis: 0.5 }, [0.5, 0.5, 1, 1.5, 2.5, 4]],
    ["Delays", { _tag: "Delays", delaysMillis: [3, 0, 1.5, 9, 2] }, [3, 0, 1.5, 9, 2, undefined]],
    ["ConnectRetry", { _tag: "ConnectRetry", maximumMillis: 32_000 }, [1_000, 2_000, 4_000, 8_000, 16_000, undefined]]
  ])("follows its formula without rounding: %s", (_, curve, bounds) => {
    expect(bounds.map((_, i) => Curve.boundMillis(curve, i + 1))).toEqual(bounds)
  })

  it.prop(
    "starts at its base",
    [Arbitraries.millis(0, Curve.longestMillis), fc.double({ min: 1, max: 1e308, noNaN: true })],
    ([base, x]) => {
      const curves: ReadonlyArray<Curve.Curve> = [
        { _tag: "Constant", delayMillis: base },
        { _tag: "Linear", baseMillis: base, stepMillis: x },
        { _tag: "Polynomial", baseMillis: base, degree: x },
        { _tag: "Exponential", baseMillis: base, factor: x },
        { _tag: "Fibonacci", baseMillis: base },
        { _tag: "Delays", delaysMillis: [base] }
      ]
      expect(curves.map((curve) => Curve.boundMillis(curve, 1))).toEqual(curves.map(() => base))
    },
    law()
  )

  it("has ended for good after the end of a list and of connect-retry", () => {
    for (const n of [3, 4, 1_000, 2 ** 31]) {
      expect(Curve.boundMillis({ _tag: "Delays", delaysMillis: [1, 2] }, n)).toBe(undefined)
      expect(Curve.boundMillis({ _tag: "ConnectRetry", maximumMillis: 4_000 }, n)).toBe(undefined)
    }
  })
})

describe("Curve.times", () => {
  it.each([
    [0, Infinity, 0],
    [0, 0, 0],
    [3, 0.5, 1.5],
    [1, Infinity, Curve.longestMillis],
    [Curve.longestMillis, 1, Curve.longestMillis],
    [Curve.longestMillis, 1 + 1e-9, Curve.longestMillis]
  ])("multiplies %d by %d to %d", (given, multiplier, product) => {
    expect(Curve.times(given, multiplier)).toBe(product)
  })
})

describe("Curve.longestMillis", () => {
  it("is what a signed 64-bit count of nanoseconds holds", () => {
    expect(BigInt(Curve.longestMillis)).toBe((2n ** 63n - 1n) / 1_000_000n)
  })
})
