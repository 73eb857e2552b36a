import { Backoff, RandomCurve } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { middles, seeded } from "../support/Draws.ts"
import type { Cdf } from "../support/KolmogorovSmirnov.ts"
import { averaged, critical, statistic, uniform } from "../support/KolmogorovSmirnov.ts"
import { delayAt, input, trace } from "../support/Traces.ts"

const minutes = 60_000
const count = 3_000

/** The delays before retry `n` of many operations, each with draws of its own. */
const samples = (backoff: Backoff.Backoff, n: number): ReadonlyArray<number> => {
  const draws = seeded("curve", n * count)
  return Array.from({ length: count }, (_, operation) => {
    const us = draws.slice(operation * n, (operation + 1) * n)
    return Number(
      trace(
        backoff,
        us.map((u) => input({ u }))
      ).at(-1)
    )
  })
}

/** How far the delays before retry `n` are from a declared distribution, in parts of what chance may cause. */
const distance = (backoff: Backoff.Backoff, n: number, cdf: Cdf) =>
  statistic(samples(backoff, n), cdf) / critical(count)

describe("Backoff.decorrelated", () => {
  /** Each draw is uniform between `low` and three times the last, or the cap. */
  const walk = (n: number, base: number, low: number, cap: number): Cdf => {
    const step = (last: number, left: number): Cdf => {
      const high = Math.min(3 * Math.max(last, base), cap)
      return left === 1 ? uniform(low, high) : averaged((u) => step(low + u * (high - low), left - 1), 30)
    }
    return step(base, n)
  }

  it.each([
    ["uncapped", 1, 1, 1, Infinity],
    ["uncapped", 2, 1, 1, Infinity],
    ["uncapped", 3, 1, 1, Infinity],
    ["within the cap at first", 1, 1, 1, 5],
    ["at the cap", 2, 1, 1, 5],
    ["at the cap", 3, 1, 1, 5],
    // Where the cap leaves less than half of the first interval, its lower end gives way.
    ["with a cap below three bases", 1, 4, 4, 10],
    ["with a cap below two bases", 1, 8, 2, 10],
    ["with a cap that is the base", 1, 10, 0, 10],
    ["with a cap that is the base, later", 3, 10, 0, 10],
    ["with a cap below the base", 2, 30, 0, 10]
  ])("follows its declared distribution %s, at retry %d", (_, n, base, low, cap) => {
    const curve = Backoff.decorrelated({ base: base * minutes })
    const backoff = cap === Infinity ? curve : Backoff.capped(curve, cap * minutes)
    expect(distance(backoff, n, walk(n, base * minutes, low * minutes, cap * minutes))).toBeLessThan(1)
  })

  it("has the means that are documented", () => {
    const us = middles(20)
    const mean = (n: number, last: number): number =>
      us.reduce((sum, u) => sum + (n === 1 ? step(last, u) : mean(n - 1, step(last, u))), 0) / us.length
    const step = (last: number, u: number) => {
      const curve: RandomCurve.RandomCurve = { _tag: "Decorrelated", baseMillis: 1 }
      return RandomCurve.draw(curve, 2, last, Infinity, u)!.previous
    }
    expect([1, 2, 3, 4].map((n) => mean(n, 1))).toEqual(
      [2, 3.5, 5.75, 9.125].map((millis) => expect.closeTo(millis, 9))
    )
  })

  it.each([
    ["far above the base", 1, 20],
    ["at the base", 20, 20],
    ["below the base", 50, 20]
  ])("gathers nothing on a cap %s", (_, base, cap) => {
    const backoff = Backoff.capped(Backoff.decorrelated({ base: base * 1_000 }), cap * 1_000)
    const delays = trace(
      backoff,
      seeded("atom", 20_000).map((u) => input({ u }))
    )
    // One in 19000 is the share of the last millisecond.
    expect(delays.filter((delay) => delay === cap * 1_000).length).toBeLessThan(8)
    expect(Math.max(...delays.map(Number))).toBeGreaterThan(cap * 990)
  })
})

describe("Backoff.decorrelatedSmooth", () => {
  const path = (t: number) => 2 ** t * Math.tanh(Math.sqrt(4 * t))
  const grid = Array.from({ length: 6_001 }, (_, i) => path(i / 1_000))

  /** Where the path has a value, in steps of a thousandth. */
  const inverse = (value: number): number => {
    let low = 0
    let high = grid.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (grid[middle]! < value) low = middle + 1
      else high = middle
    }
    return low / 1_000
  }

  /** The increment of the path, times `scale`, from a point of the step before. */
  const increment = (n: number, scale: number): Cdf => {
    const given =
      (last: number): Cdf =>
      (x) =>
        Math.min(1, Math.max(0, inverse(last + x / scale) - (n - 1)))
    return n === 1 ? given(0) : averaged((u) => given(path(n - 2 + u)), 100)
  }

  it.each([1, 2, 3, 5])("follows its declared distribution, at retry %d", (n) => {
    expect(distance(Backoff.decorrelatedSmooth({ base: "1 minute" }), n, increment(n, minutes / 1.4))).toBeLessThan(1)
  })

  it.each([1, 2, 3, 5])("follows its declared distribution, scaled into the cap, at retry %d", (n) => {
    const longest = path(n) - (n === 1 ? 0 : path(n - 2))
    expect(
      distance(
        Backoff.capped(Backoff.decorrelatedSmooth({ base: "1 hour" }), "10 minutes"),
        n,
        increment(n, (10 * minutes) / longest)
      )
    ).toBeLessThan(1)
  })

  it("has the medians that are documented", () => {
    const medians = [1, 2, 3, 4, 5, 6].map((n) => {
      const sorted = samples(Backoff.decorrelatedSmooth({ base: "1 minute" }), n).toSorted((a, b) => a - b)
      return sorted[count / 2]! / minutes
    })
    const documented = [0.9, 1.1, 2, 4, 8, 16]
    medians.forEach((median, i) => expect(Math.abs(median / documented[i]! - 1)).toBeLessThan(0.08))
  })

  it("gathers nothing on a cap", () => {
    const backoff = Backoff.capped(Backoff.decorrelatedSmooth({ base: "10 seconds" }), "20 seconds")
    const delays = trace(
      backoff,
      seeded("atom", 20_000).map((u) => input({ u }))
    )
    expect(delays.filter((delay) => delay === 20_000).length).toBeLessThan(8)
    expect(Math.max(...delays.map(Number))).toBeGreaterThan(19_000)
  })
})

describe("Backoff.ethernet", () => {
  it.each([1, 3, 10, 15])("draws every number of slots as often, at collision %d", (n) => {
    const slots = 2 ** Math.min(n, 10)
    const cdf: Cdf = (x) => Math.min(1, Math.max(0, Math.floor(x / minutes) + 1) / slots)
    expect(distance(Backoff.ethernet({ slot: "1 minute" }), n, cdf)).toBeLessThan(1)
  })
})

describe("Backoff.celery", () => {
  it.each([1, 5, 13])("draws every number of seconds as often, at retry %d", (n) => {
    const numbers = Math.min(600, 2 ** (n - 1)) + 1
    const cdf: Cdf = (x) => Math.min(1, Math.max(0, Math.floor(x / 1_000) + 1) / numbers)
    expect(distance(Backoff.celery({ factor: 1 }), n, cdf)).toBeLessThan(1)
  })
})

describe("Backoff.truncated", () => {
  it("follows its declared distribution below its maximum", () => {
    const backoff = Backoff.truncated({ base: "1 minute", maximum: "1 hour", randomMillis: 10 * minutes })
    expect(distance(backoff, 3, uniform(4 * minutes, 14 * minutes))).toBeLessThan(1)
  })

  it("gathers on its maximum what its formula clamps there, as Cloud Storage documents it", () => {
    // The one curve with an atom: https://cloud.google.com/storage/docs/retry-strategy says min(... + random, maximum).
    const backoff = Backoff.truncated({ base: "63.25 seconds", maximum: "64 seconds", randomMillis: 1_000 })
    const share = middles(10_000).filter((u) => delayAt(backoff, 1, u) === 64_000).length / 10_000
    expect(share).toBeCloseTo(0.251, 3)
  })
})
