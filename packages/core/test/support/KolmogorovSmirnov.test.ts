import { describe, expect, it } from "@effect/vitest"
import { seeded } from "./Draws.ts"
import { averaged, critical, point, statistic, uniform } from "./KolmogorovSmirnov.ts"

const minutes = 60_000
const draws = seeded("Kolmogorov", 5_000)
const delays = (draw: (u: number) => number) => draws.map((u) => Math.ceil(draw(u)))

describe("KolmogorovSmirnov.statistic", () => {
  it("is the greatest distance between two distribution functions", () => {
    expect(statistic([10], uniform(0, 10))).toBeCloseTo(0.9, 10)
    expect(statistic([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], uniform(0, 10))).toBeCloseTo(0, 10)
    expect(statistic([5, 5, 5, 5], uniform(0, 10))).toBeCloseTo(0.5, 10)
    expect(statistic([10, 10, 20, 20], point(10))).toBeCloseTo(0.5, 10)
    expect(statistic([10, 10], point(10))).toBe(0)
  })

  it("accepts what follows the declared distribution, seed after seed", () => {
    const statistics = Array.from({ length: 50 }, (_, i) => {
      const samples = seeded(`seed ${i}`, 2_000).map((u) => Math.ceil(u * 10 * minutes))
      return statistic(samples, uniform(0, 10 * minutes))
    })
    expect(Math.max(...statistics)).toBeLessThan(critical(2_000))
    // And it is no constant: the statistic is of the order of 1 / sqrt(n).
    expect(Math.min(...statistics)).toBeGreaterThan(0.2 / Math.sqrt(2_000))
  })

  const declared = uniform(0, 10 * minutes)

  it.each<[string, (u: number) => number]>([
    ["equal jitter by the name of full jitter", (u) => 5 * minutes + u * 5 * minutes],
    ["no jitter", () => 10 * minutes],
    ["an interval a tenth too short", (u) => u * 9 * minutes],
    ["an interval a tenth too high", (u) => minutes + u * 9 * minutes],
    ["the right interval with another density", (u) => u ** 1.2 * 10 * minutes],
    ["a clamp after the draw", (u) => Math.min(u * 11 * minutes, 10 * minutes)],
    ["few values", (u) => Math.floor(u * 8) * 1.25 * minutes]
  ])("rejects %s", (_, draw) => {
    expect(statistic(delays(draw), declared)).toBeGreaterThan(critical(5_000))
  })

  it("rejects a fixed value where chance was declared, and the reverse", () => {
    expect(
      statistic(
        delays(() => minutes),
        uniform(0, 2 * minutes)
      )
    ).toBeGreaterThan(critical(5_000))
    expect(
      statistic(
        delays((u) => u * minutes),
        point(minutes)
      )
    ).toBeGreaterThan(critical(5_000))
  })
})

describe("KolmogorovSmirnov.critical", () => {
  it("is the bound of Massart's inequality", () => {
    expect(2 * Math.exp(-2 * 2_000 * critical(2_000) ** 2)).toBeCloseTo(1e-6, 12)
    expect(critical(2_000)).toBeCloseTo(0.060_2, 4)
  })
})

describe("KolmogorovSmirnov.averaged", () => {
  it("mixes distributions over a draw", () => {
    // U(0, U(0, 1)) has the distribution function x - x ln x.
    const product = averaged((u) => uniform(0, u))
    for (const x of [0.1, 0.25, 0.5, 0.9]) expect(product(x)).toBeCloseTo(x - x * Math.log(x), 3)
  })
})
