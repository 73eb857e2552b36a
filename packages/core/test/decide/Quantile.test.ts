import { SeededRandom } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Random } from "effect"
import { law } from "../support/Laws.ts"
import * as Quantile from "../../src/decide/Quantile.ts"

const of = (values: ReadonlyArray<number>, before = Quantile.empty) => values.reduce(Quantile.add, before)

/** Half a bucket on either side: 2^(1/8). */
const width = 2 ** (1 / 8)

const isNear = (histogram: Quantile.Histogram, value: number): boolean =>
  Math.abs(Math.log2(Quantile.read(histogram, 0.95) / value)) < 1 / 8

describe("Quantile", () => {
  it.each([
    { name: "one value", values: [40], at: 0.5, value: 40 },
    { name: "the lower of two humps", values: [...Array(97).fill(10), ...Array(3).fill(1000)], at: 0.95, value: 10 },
    {
      name: "the higher of two humps",
      values: [...Array(90).fill(10), ...Array(10).fill(1000)],
      at: 0.95,
      value: 1000
    },
    { name: "a value below the first bucket", values: [0, 0.2], at: 0.95, value: 1.04 },
    { name: "a value above the last bucket", values: [1e12], at: 0.5, value: 2 ** 19.94 },
    { name: "an even spread", values: Array.from({ length: 1000 }, (_, i) => i + 1), at: 0.9, value: 900 }
  ])("reads $name", ({ at, value, values }) => {
    expect(Math.abs(Math.log2(Quantile.read(of(values), at) / value))).toBeLessThan(1 / 8)
  })

  it("takes the values inside a bucket as evenly spread", () => {
    const histogram = of(Array(3).fill(2 ** 5))
    const low = 2 ** 5
    const high = 2 ** (5 + 1 / 8)
    for (const at of [0.25, 0.5, 0.75]) {
      expect(Quantile.read(histogram, at)).toBeCloseTo(low + at * (high - low), 9)
    }
  })

  it("reads the lower end of the first bucket for a share of nothing", () => {
    expect(Quantile.read(of([1_000]), 0)).toBe(1)
  })

  it("is a value of the bucket that the sample is in", () => {
    for (let index = 0; index < 160; index += 1) {
      const low = 2 ** (index / 8)
      const estimate = Quantile.read(of([low * 1.001]), 0.5)
      expect(estimate).toBeGreaterThanOrEqual(low)
      expect(estimate).toBeLessThanOrEqual(low * width)
    }
  })

  it.effect.prop(
    "grows with the share, and stays between the least and the greatest value",
    [fc.array(fc.double({ min: 1, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 })],
    ([values]) =>
      Effect.sync(() => {
        const histogram = of(values)
        const read = [0.01, 0.1, 0.5, 0.9, 0.99, 0.9999].map((at) => Quantile.read(histogram, at))
        expect(read).toEqual(read.toSorted((a, b) => a - b))
        expect(read[0]!).toBeGreaterThanOrEqual(Math.min(...values) / width)
        expect(read.at(-1)!).toBeLessThanOrEqual(Math.max(...values) * width)
      }),
    law(100)
  )

  it("follows a change of latency within 1,500 samples up, and 6,000 down", () => {
    const slow = of(Array(1_500).fill(100), of(Array(5_000).fill(10)))
    const fast = of(Array(6_000).fill(10), slow)
    expect([isNear(slow, 100), isNear(fast, 10)]).toEqual([true, true])
  })

  it("keeps no number that grows without end", () => {
    let histogram = Quantile.empty
    for (let i = 0; i < 600_000; i += 1) {
      histogram = Quantile.add(histogram, 10)
      if (histogram.nextWeight > 2 ** 500) throw new Error("the weight has grown too far")
    }
    expect(isNear(histogram, 10)).toBe(true)
    expect(histogram.total / histogram.nextWeight).toBeGreaterThan(1_400)
    expect(histogram.total / histogram.nextWeight).toBeLessThan(1_500)
  })

  it.effect("is within a tenth of the true percentile of a lognormal latency", () =>
    Effect.gen(function* () {
      let histogram = Quantile.empty
      for (let i = 0; i < 20_000; i += 1) {
        const [u, v] = [yield* Random.next, yield* Random.next]
        const normal = Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v)
        histogram = Quantile.add(histogram, 20 * Math.exp(0.5 * normal))
      }
      expect(Quantile.read(histogram, 0.95) / (20 * Math.exp(0.5 * 1.6449))).toBeCloseTo(1, 1)
    }).pipe(Effect.provide(SeededRandom.layer(7)))
  )
})
