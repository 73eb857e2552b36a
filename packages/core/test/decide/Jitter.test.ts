import { Backoff, Jitter } from "@effect-retry/core"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Duration, FastCheck as fc } from "effect"
import { below } from "../../src/decide/CappedDraw.ts"
import { middles, seeded } from "../support/Draws.ts"
import type { Cdf } from "../support/KolmogorovSmirnov.ts"
import { critical, point, statistic, uniform } from "../support/KolmogorovSmirnov.ts"
import { law } from "../support/Laws.ts"
import { delayAt, input, trace } from "../support/Traces.ts"

const { draw, jitter, millis } = Arbitraries

const minutes = 60_000
const bound = 10 * minutes

const between = (low: number, high: number): Cdf => uniform(low * minutes, high * minutes)
/** Of a jitter that is the square of a uniform one: `low + (high - low) * u^2`. */
const squared =
  (low: number, high: number): Cdf =>
  (x) =>
    Math.sqrt(between(low, high)(x))

/** A jitter, and its distributions around ten minutes: with no cap, with a cap of eleven and of ten minutes. */
const distributions: ReadonlyArray<readonly [Jitter.Jitter, free: Cdf, near: Cdf, at: Cdf]> = [
  [Jitter.none, point(bound), point(bound), point(bound)],
  [Jitter.full, between(0, 10), between(0, 10), between(0, 10)],
  [Jitter.equal, between(5, 10), between(5, 10), between(5, 10)],
  [Jitter.proportional({ ratio: 0.2 }), between(8, 12), between(8, 11), between(8, 10)],
  [Jitter.proportional({ ratio: 1 }), between(0, 20), between(0, 11), between(0, 10)],
  // Where less than half of the interval would be left below the cap, its lower end gives way.
  [Jitter.additive({ max: "4 minutes" }), between(10, 14), between(9, 11), between(8, 10)],
  [Arbitraries.userJitter, squared(2.5, 20), squared(2.25, 11), squared(1.25, 10)]
]

describe("Jitter", () => {
  const samples = (backoff: Backoff.Backoff, n: number) =>
    seeded("jitter", 5_000).map((u) => delayAt(backoff, n, u) ?? NaN)

  describe.each(distributions.map(([jitter, ...cdfs]) => ({ jitter, name: jitter.name, cdfs })))(
    "$name",
    ({ cdfs: [free, near, at], jitter }) => {
      const curve = Backoff.jittered(Backoff.constant({ delay: bound }), jitter)
      // Bounds of 1, 2, 4, 8 and then, at the cap, 10 minutes.
      const growing = Backoff.exponential({ base: "1 minute" }).pipe(Backoff.jittered(jitter), Backoff.capped(bound))

      it("follows its declared distribution", () => {
        expect(statistic(samples(curve, 1), free)).toBeLessThan(critical(5_000))
      })

      it("follows its declared distribution near a cap", () => {
        expect(statistic(samples(Backoff.capped(curve, "11 minutes"), 1), near)).toBeLessThan(critical(5_000))
      })

      it("follows its declared distribution at a cap, retry after retry", () => {
        for (const n of [5, 6, 50, 5_000]) {
          expect(statistic(samples(growing, n), at)).toBeLessThan(critical(5_000))
        }
      })

      it("is the same at the cap for both orders of capped and jittered", () => {
        const other = Backoff.exponential({ base: "1 minute" }).pipe(Backoff.capped(bound), Backoff.jittered(jitter))
        expect(samples(other, 5)).toEqual(samples(growing, 5))
      })

      it("gathers nothing on the cap", () => {
        if (!jitter.draws) return
        const cap = 1_000
        const capped = Backoff.capped(Backoff.jittered(Backoff.constant({ delay: cap }), jitter), cap)
        const cells = 100_000
        const [low, high] = [delayAt(capped, 1, 0)!, cap]
        const share = middles(cells).filter((u) => delayAt(capped, 1, u) === cap).length / cells
        // The cell of one millisecond below the cap, of all those between the least delay and the cap.
        expect(share).toBeLessThanOrEqual(1 / (high - low) + 1 / cells)
      })
    }
  )

  it.each([
    [Jitter.none, bound],
    [Jitter.full, bound / 2],
    [Jitter.equal, (bound * 3) / 4],
    [Jitter.proportional({ ratio: 0.2 }), bound],
    [Jitter.proportional({ ratio: 1 }), bound],
    [Jitter.additive({ max: "4 minutes" }), 12 * minutes]
  ])("has the documented mean: $name", (jitter, mean) => {
    const draws = middles(1_000).map((u) => jitter.draw(bound, u))
    expect(draws.reduce((sum, delay) => sum + delay, 0) / 1_000).toBeCloseTo(mean, 6)
  })

  it("says by name what it is", () => {
    expect(distributions.map(([{ name }]) => name)).toEqual([
      "none",
      "full",
      "equal",
      "proportional(0.2)",
      "proportional(1)",
      "additive(240000ms)",
      "squared"
    ])
  })

  it.prop(
    "keeps every draw within its declared interval",
    [jitter, millis(0, Number.MAX_SAFE_INTEGER), draw],
    ([chance, bound, u]) => {
      const [low, high] = chance.interval(bound)
      expect(low).toBeGreaterThanOrEqual(0)
      expect(chance.draw(bound, u)).toBeGreaterThanOrEqual(low)
      expect(chance.draw(bound, u)).toBeLessThanOrEqual(high)
    },
    law()
  )

  it.prop(
    "draws zero from a bound of zero, except for additive jitter",
    [jitter, draw],
    ([chance, u]) => {
      expect(chance.draw(0, u)).toBe(chance.name.startsWith("additive") ? u * chance.interval(0)[1] : 0)
    },
    law()
  )
})

describe("Jitter.full", () => {
  it("reaches below the half of its bound", () => {
    // Soostone/retry, fullJitterBackoff: named full, draws from the upper half. From a bound of 100: 50 to 100.
    const backoff = Backoff.jittered(Backoff.exponential({ base: 100 }), Jitter.full)
    const delays = middles(100).map((u) => delayAt(backoff, 1, u)!)
    expect(delays).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    const drawn = seeded("Haskell", 5_000).map((u) => delayAt(backoff, 1, u)!)
    expect(statistic(drawn, uniform(0, 100))).toBeLessThan(critical(5_000))
    expect(statistic(drawn, uniform(50, 100))).toBeGreaterThan(critical(5_000))
  })
})

describe("Jitter.proportional", () => {
  it("is not lost by truncating its factor", () => {
    // temporalio/temporal, common/backoff/retrypolicy.go, addJitter: an integer factor, so no jitter for any ratio
    // below 1. At 1000 ms and a ratio of 0.5 at least 900 of 1000 draws must differ. Delays are whole milliseconds, of
    // which so short an interval holds too few: the draw is looked at itself, and the delay at 1000 seconds.
    const jitter = Jitter.proportional({ ratio: 0.5 })
    const draws = seeded("Temporal", 1_000)
    expect(new Set(draws.map((u) => jitter.draw(1_000, u))).size).toBeGreaterThanOrEqual(900)
    const backoff = Backoff.jittered(Backoff.constant({ delay: "1000 seconds" }), jitter)
    expect(new Set(draws.map((u) => delayAt(backoff, 1, u))).size).toBeGreaterThanOrEqual(900)
  })

  it.each([
    // gRPC's A6 adds a fifth, cenkalti/backoff half, backon and Failsafe as much again as the bound, after their caps.
    ["gRPC", 0.2, "1 second", 1.6, "120 seconds"],
    ["cenkalti/backoff", 0.5, "500 millis", 1.5, "60 seconds"],
    ["backon", 1, "1 second", 2, "60 seconds"]
  ] as const)("never exceeds the cap, unlike that of %s", (_, ratio, base, factor, cap) => {
    const backoff = Backoff.exponential({ base, factor }).pipe(
      Backoff.capped(cap),
      Backoff.jittered(Jitter.proportional({ ratio }))
    )
    const greatest = trace(
      backoff,
      Array.from({ length: 40 }, () => input({ u: 1 - Number.EPSILON / 2 }))
    )
    const [value, unit] = cap.split(" ")
    expect(unit).toBe("seconds")
    expect(Math.max(...greatest.map(Number))).toBe(Number(value) * 1_000)
  })
})

describe("Jitter.additive", () => {
  it("is not lost by truncating its factor", () => {
    const backoff = Backoff.jittered(
      Backoff.constant({ delay: "1000 seconds" }),
      Jitter.additive({ max: "500 seconds" })
    )
    const delays = seeded("Temporal", 1_000).map((u) => delayAt(backoff, 1, u)!)
    expect(new Set(delays).size).toBeGreaterThanOrEqual(900)
    expect(statistic(delays, uniform(1_000_000, 1_500_000))).toBeLessThan(critical(1_000))
  })
})

describe("CappedDraw.below", () => {
  const drawnBelow = (self: Jitter.Jitter, bound: number, cap: number, u: number) =>
    below(self, bound, self.draw(bound, u), cap)

  it.prop(
    "stays between zero and the cap",
    [jitter, millis(0, 1e9), millis(1, 1e9), draw],
    ([chance, bound, cap, u]) => {
      const drawn = drawnBelow(chance, Math.min(bound, cap), cap, u)
      expect(drawn).toBeGreaterThanOrEqual(0)
      expect(drawn).toBeLessThanOrEqual(cap)
    },
    law(500)
  )

  it.prop(
    "is the draw itself if the interval stays below the cap",
    [jitter, millis(0, 1e6), millis(0, 1e6), draw],
    ([chance, bound, above, u]) => {
      expect(drawnBelow(chance, bound, chance.interval(bound)[1] + above, u)).toBe(chance.draw(bound, u))
    },
    law()
  )

  it("answers the cap for a jitter without a width", () => {
    const doubled = Jitter.make({ name: "doubled", interval: (b) => [b * 2, b * 2], draw: (b) => b * 2 })
    expect(drawnBelow(doubled, 100, 150, 0.5)).toBe(150)
  })
})

describe("Jitter.make", () => {
  const own = (
    interval: (bound: number) => readonly [number, number],
    draw: (bound: number, u: number) => number = (bound, u) => bound * u
  ) => Jitter.make({ name: "mine", interval, draw })
  const refusal = (low: number, high: number, got: number) =>
    `Jitter.mine: draw must be within its interval [${low}, ${high}], finite and not negative, got ${got}`

  it("makes a jitter that works like the built-in ones", () => {
    const half = Jitter.make({ name: "half", interval: (b) => [b / 2, b], draw: (b, u) => b - (u * b) / 2 })
    expect(half.draws).toBe(true)
    const backoff = Backoff.jittered(Backoff.exponential({ base: 100 }), half)
    expect(
      trace(
        backoff,
        [0, 0.25, 0.5, 0.75, 0.5, 0].map((u) => input({ u }))
      )
    ).toEqual([100, 175, 300, 500, 1_200, 3_200])
  })

  it.each<[string, () => Jitter.Jitter, string]>([
    [
      "above",
      () =>
        own(
          (b) => [0, b],
          (b) => b + 1
        ),
      refusal(0, 0, 1)
    ],
    ["below", () => own((b) => [b, b + 1]), refusal(1, 2, 0)],
    [
      "NaN",
      () =>
        own(
          (b) => [0, b],
          () => NaN
        ),
      refusal(0, 0, NaN)
    ],
    [
      "infinite",
      () =>
        own(
          (b) => [0, b],
          () => Infinity
        ),
      refusal(0, 0, Infinity)
    ],
    [
      "negative",
      () =>
        own(
          (b) => [-1, b],
          () => -1
        ),
      refusal(-1, 0, -1)
    ],
    ["outside an interval that is NaN", () => own(() => [NaN, NaN]), refusal(NaN, NaN, 0)],
    ["inside an interval without an end", () => own(() => [0, Infinity]), refusal(0, Infinity, 0)],
    [
      "outside an interval whose ends are exchanged",
      () =>
        own(
          (b) => [b, 0],
          (b) => b
        ),
      refusal(1, 0, 1)
    ]
  ])("refuses a draw that is %s", (_, make, message) => {
    expect(make).toThrow(message)
  })

  it("checks every draw, also after construction", () => {
    const late = own(
      (b) => [0, b],
      (b, u) => (b === 777 ? -1 : u * b)
    )
    expect(() => late.draw(777, 0.5)).toThrow(refusal(0, 777, -1))
    expect(late.draw(778, 0.5)).toBe(389)
  })

  it("asks for both ends of the interval", () => {
    expectTypeOf(own).returns.toEqualTypeOf<Jitter.Jitter>()
    expectTypeOf<Parameters<typeof Jitter.make>[0]>().toEqualTypeOf<{
      readonly name: string
      readonly interval: (boundMillis: number) => readonly [low: number, high: number]
      readonly draw: (boundMillis: number, u: number) => number
    }>()
    // @ts-expect-error - an interval has two ends
    expect(() => own((b) => [b])).toThrow("Jitter.mine: draw must be within its interval [0, undefined]")
    const late = () => Duration.zero
    // @ts-expect-error - a draw is a number of milliseconds
    expect(() => own((b) => [0, b], late)).toThrow("Jitter.mine: draw must be within its interval [0, 0]")
  })

  it("takes a floating-point error for the end of the interval", () => {
    const near = own(
      (b) => [0, b],
      (b) => b * (1 + 1e-12)
    )
    expect(near.draw(300, 0)).toBe(300)
  })

  it("is called with the bound and a number below one", () => {
    const seen: Array<number> = []
    const spy = own(
      (b) => [0, b],
      (b, u) => {
        seen.push(u)
        return b
      }
    )
    const draws = fc.sample(draw, { numRuns: 100, seed: 1 })
    draws.forEach((u) => spy.draw(5, u))
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...seen)).toBeLessThan(1)
  })
})
