import { describe, expect, it } from "vitest"
import { Plan } from "@effect-retry/plan"
import { drawn } from "../src/playground/Delays.ts"
import * as Explaining from "../src/playground/Explaining.ts"
import * as Figures from "../src/playground/Figures.ts"
import { explainable } from "../src/playground/Policy.ts"
import { randomSettings } from "../src/playground/RandomSettings.ts"
import { initial } from "../src/playground/Settings.ts"

const attempted = <A>(make: () => A): A | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}

describe("Delays.drawn", () => {
  it("are inside of the bands of the plan", () => {
    // The policies that the packages do not refuse.
    const policies = randomSettings(12).flatMap((settings) => attempted(() => explainable(settings)) ?? [])
    expect(policies.length).toBeGreaterThan(7)
    for (const policy of policies) {
      const bands = Explaining.bands(Plan.explain(policy))
      const delays = drawn(policy.backoff, { retries: bands.length, seed: 1 })
      for (const [i, { leastMillis, mostMillis }] of bands.entries()) {
        expect(Math.min(...delays[i]!)).toBeGreaterThanOrEqual(leastMillis - 1e-6)
        expect(Math.max(...delays[i]!)).toBeLessThanOrEqual(mostMillis + 1e-6)
      }
    }
  })

  it("are in each part of a full jitter, half of them below its mean", () => {
    const policy = explainable({ ...initial, base: 1000, cap: 60_000, jitter: "full" })
    const [delays = []] = drawn(policy.backoff, { retries: 1, seed: 1 })
    const band = { attempt: 2, leastMillis: 0, meanMillis: 500, mostMillis: 1000 }
    expect(Math.min(...Figures.distribution(band, delays))).toBeGreaterThan(0)
    expect(delays.filter((delay) => delay < 500).length / delays.length).toBeCloseTo(0.5, 1)
  })
})

describe("Figures.distribution", () => {
  const band = { attempt: 2, leastMillis: 100, meanMillis: 150, mostMillis: 200 }

  it("counts each part of a band, its ends included", () => {
    const shares = Figures.distribution(band, [100, 101, 200])
    expect(shares).toEqual([1, ...Array.from({ length: 22 }, () => 0), 0.5])
  })

  it("is nothing without a width, or without delays", () => {
    expect(Figures.distribution({ ...band, leastMillis: 200 }, [200])).toEqual([])
    expect(Figures.distribution(band, [])).toEqual([])
  })
})

describe("Figures.distributions", () => {
  it("are of the delays of each band, and nothing where none were drawn", () => {
    const band = { attempt: 2, leastMillis: 0, meanMillis: 50, mostMillis: 100 }
    const drawn = [[0, 10, 100]]
    expect(Figures.distributions([band, band], drawn)).toEqual([Figures.distribution(band, drawn[0]!), []])
  })
})

describe("Figures.ticks", () => {
  it.each([
    [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0.35, [0, 0.1, 0.2, 0.3]],
    [1234, [0, 500, 1000]],
    [0, [0]]
  ])("are round up to %d", (most, expected) => {
    expect(Figures.ticks(most)).toEqual(expected)
  })
})
