import { Backoff, Classic, Curve, Jitter } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Millis from "@effect-retry/core/unstable/Millis"
import { Arbitraries, Laws } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { isCurve } from "../../src/decide/CurveShape.ts"
import { middles, seeded } from "../support/Draws.ts"
import { golden, last, s, same } from "../support/Golden.ts"
import type { Cdf } from "../support/KolmogorovSmirnov.ts"
import { averaged, uniform } from "../support/KolmogorovSmirnov.ts"
import { law, runsOf } from "../support/Laws.ts"
import { count, distance, samples } from "../support/Samples.ts"
import { delayAt, input, trace } from "../support/Traces.ts"

const { draw } = Arbitraries
const minutes = 60_000

/** The curve inside a back-off of one leaf. */
const curveOf = ({ tree }: Backoff.Backoff): Curve.Curve => (tree as BackoffTree.Leaf).curve

/** The bounds of the first retries, unrounded. */
const boundsOf = (curve: Curve.Curve, retries: number) =>
  Array.from({ length: retries }, (_, i) => curve.delayMillis(i + 1, curve.initial, Infinity, 0))

describe("Curve", () => {
  // Unrounded; the golden tables of whole delays are below and in the tests of Backoff and Classic.
  it.each<[string, Curve.Curve, ReadonlyArray<number | undefined>]>([
    ["constant", curveOf(Backoff.constant({ delay: 2.5 })), [2.5, 2.5, 2.5, 2.5, 2.5, 2.5]],
    ["linear", Curve.linear({ base: 1, step: 0.25 }), [1, 1.25, 1.5, 1.75, 2, 2.25]],
    ["polynomial", Curve.polynomial({ base: 0.5, degree: 3 }), [0.5, 4, 13.5, 32, 62.5, 108]],
    ["exponential", curveOf(Backoff.exponential({ base: 100, factor: 1.5 })), [100, 150, 225, 337.5, 506.25, 759.375]],
    ["fibonacci", Curve.fibonacci({ base: 0.5 }), [0.5, 0.5, 1, 1.5, 2.5, 4]],
    ["delays", curveOf(Backoff.fromDelays([3, 0, 1.5, 9, 2])), [3, 0, 1.5, 9, 2, undefined]],
    [
      "connectRetry",
      curveOf(Classic.connectRetry({ maximum: "32 seconds" })),
      [1_000, 2_000, 4_000, 8_000, 16_000, undefined]
    ]
  ])("follows its formula without rounding: %s", (name, curve, bounds) => {
    expect(boundsOf(curve, 6)).toEqual(bounds)
    expect([curve.name, curve.draws]).toEqual([name, false])
    expect(bounds.map((_, i) => curve.intervalMillis(i + 1, Infinity))).toEqual(
      bounds.map((bound = 0) => [bound, bound])
    )
  })

  it.each<[string, Curve.Curve, number]>([
    ["decorrelated", Curve.decorrelated({ base: 100 }), Infinity],
    ["decorrelated under a cap", Curve.decorrelated({ base: 100 }), 1_500],
    ["decorrelated under a cap near its base", Curve.decorrelated({ base: 100 }), 130],
    ["ethernet", curveOf(Classic.ethernet({ slot: 10 })), Infinity],
    ["ethernet under a cap", curveOf(Classic.ethernet({ slot: 10 })), 75],
    ["ethernet under a cap below its slot", curveOf(Classic.ethernet({ slot: 10 })), 7],
    ["celery", curveOf(Classic.celery({ factor: 3 })), Infinity],
    ["celery under a cap", curveOf(Classic.celery({ factor: 3 })), 5_500],
    ["celery without jitter", curveOf(Classic.celery({ factor: 3, jitter: false })), 5_500]
  ])("declares no more than its extreme draws reach: %s", (_, curve, cap) => {
    let least = curve.initial
    let greatest = curve.initial
    for (let n = 1; n <= 8; n++) {
      const [low, high] = [curve.delayMillis(n, least, cap, 0)!, curve.delayMillis(n, greatest, cap, last)!]
      expect([low, high]).toEqual(curve.intervalMillis(n, cap).map((end) => expect.closeTo(end, 6)))
      least = curve.next(low, n, least, cap, 0)
      greatest = curve.next(high, n, greatest, cap, last)
    }
  })

  it.prop(
    "starts at its base",
    [Arbitraries.millis(0, Millis.longestMillis), fc.double({ min: 1, max: 1e308, noNaN: true })],
    ([base, x]) => {
      const curves = [
        curveOf(Backoff.constant({ delay: base })),
        Curve.linear({ base, step: x }),
        Curve.polynomial({ base, degree: x }),
        curveOf(Backoff.exponential({ base, factor: x })),
        Curve.fibonacci({ base }),
        curveOf(Backoff.fromDelays([base]))
      ]
      // A duration holds whole nanoseconds.
      expect(curves.map((curve) => boundsOf(curve, 1)[0])).toEqual(curves.map(() => expect.closeTo(base, 6)))
    },
    law()
  )

  it("declares no delay once it has ended", () => {
    const { intervalMillis } = curveOf(Classic.ethernet({ slot: 1 }))
    expect([15, 16].map((n) => intervalMillis(n, Infinity))).toEqual([
      [0, 1_023],
      [0, 0]
    ])
  })

  it("has a name", () => {
    const backoffs = [
      Backoff.constant({ delay: 1 }),
      Backoff.exponential({ base: 1 }),
      Backoff.fromDelays([1]),
      Classic.ethernet({ slot: 1 }),
      Classic.celery({ factor: 1 }),
      Classic.connectRetry()
    ]
    const curves = [
      Curve.linear({ base: 1, step: 1 }),
      Curve.polynomial({ base: 1, degree: 1 }),
      Curve.fibonacci({ base: 1 }),
      Curve.decorrelated({ base: 1 }),
      Curve.decorrelatedSmooth({ base: 1 })
    ]
    const names = "constant exponential delays ethernet celery connectRetry"
    const others = "linear polynomial fibonacci decorrelated decorrelatedSmooth"
    expect([...backoffs.map(curveOf), ...curves].map(({ name }) => name).join(" ")).toBe(`${names} ${others}`)
  })

  it("has ended for good after the end of a list and of connect-retry", () => {
    const list = curveOf(Backoff.fromDelays([1, 2]))
    const book = curveOf(Classic.connectRetry({ maximum: "4 seconds" }))
    for (const n of [3, 4, 1_000, 2 ** 31]) {
      expect([list, book].map((curve) => curve.delayMillis(n, undefined, Infinity, 0))).toEqual([undefined, undefined])
    }
  })
})

for (const [name, curve] of [
  ["Backoff.constant", curveOf(Backoff.constant({ delay: 3 }))],
  ["Backoff.exponential", curveOf(Backoff.exponential({ base: 3 }))],
  ["Backoff.fromDelays", curveOf(Backoff.fromDelays([1, 2, 3]))],
  ["Curve.linear", Curve.linear({ base: 10, step: 5 })],
  ["Curve.polynomial", Curve.polynomial({ base: 10, degree: 2.5 })],
  ["Curve.fibonacci", Curve.fibonacci({ base: 10 })],
  ["Curve.decorrelated", Curve.decorrelated({ base: 10 })],
  ["Curve.decorrelatedSmooth", Curve.decorrelatedSmooth({ base: 10 })],
  ["Classic.ethernet", curveOf(Classic.ethernet({ slot: 10 }))],
  ["Classic.celery", curveOf(Classic.celery({ factor: 3 }))],
  ["Classic.celery without jitter", curveOf(Classic.celery({ factor: 3, jitter: false }))],
  ["Classic.connectRetry", curveOf(Classic.connectRetry())],
  ["Google's curve", google({ baseMillis: 1_000, maximumMillis: 64_000 })],
  ["gaxios' curve", gaxios(100, 2)],
  ["The clamped walk", clampedWalk(100)],
  ["A user's curve", Arbitraries.userCurve(10)],
  ["A user's walk", Arbitraries.userWalk(10)]
] as const) {
  Laws.curve(vitest, name, curve, { numRuns: runsOf(200) })
}

describe("Curve.fromFunction", () => {
  // https://github.com/googleapis/gaxios, src/retry.ts, getNextRetryDelay: retryDelay + (m^n - 1) / 2 seconds.
  golden([
    {
      name: "expresses gaxios' delays, and rounds them up",
      backoff: Backoff.fromCurve(gaxios(1_000, 2)),
      delays: [500, 1_500, 3_500, 7_500, 15_500, 31_500]
    },
    {
      name: "ends where its function does",
      backoff: Backoff.fromCurve(Curve.fromFunction("three", (n) => (n > 3 ? undefined : n))),
      delays: [1, 2, 3, "ended"]
    }
  ])

  it("stops at the longest delay when its function overflows", () => {
    expect([1_023, 1_100, 2 ** 31].map((n) => delayAt(Backoff.fromCurve(gaxios(1_000, 2)), n, 0))).toEqual(
      same(Millis.longestMillis, 3)
    )
  })

  it.each([NaN, -1, -Infinity])("refuses a bound that is not a delay at construction: %d", (wrong) => {
    expect(() => Curve.fromFunction("mine", (n) => (n === 4 ? wrong : n))).toThrow(
      `Curve.mine: delay must be a number >= 0, got ${wrong}`
    )
  })

  it("checks every answer, also after construction", () => {
    const late = Backoff.fromCurve(Curve.fromFunction("late", (n) => (n === 9 ? NaN : n)))
    expect(delayAt(late, 8, 0)).toBe(8)
    expect(() => delayAt(late, 9, 0)).toThrow("Curve.late: delay must be a number >= 0, got NaN")
  })
})

describe("Curve.make", () => {
  const mine = (given: Partial<Curve.Definition<number>>) =>
    Curve.make({
      name: "mine",
      draws: true,
      initial: 1,
      delayMillis: (n, _, capMillis, u) => Math.min(10 + n * u, capMillis),
      next: (delayMillis) => delayMillis,
      intervalMillis: (n, capMillis) => [Math.min(10, capMillis), Math.min(10 + n, capMillis)],
      ...given
    })

  it.each<[string, Partial<Curve.Definition<number>>, string]>([
    ["NaN", { delayMillis: () => NaN }, "delay must be a number >= 0, got NaN"],
    ["negative", { delayMillis: () => -1 }, "delay must be a number >= 0, got -1"],
    ["infinite", { delayMillis: () => Infinity }, "delay must be within its interval [10, 11], got Infinity"],
    ["above", { delayMillis: () => 99 }, "delay must be within its interval [10, 11], got 99"],
    ["below", { delayMillis: () => 9 }, "delay must be within its interval [10, 11], got 9"],
    [
      "above under a cap that it does not look at",
      { delayMillis: (n, _, _cap, u) => 10 + n * u },
      "delay must be within its interval [1, 1], got 10"
    ],
    ["in no interval", { intervalMillis: () => [NaN, 1] }, "intervalMillis must be a number >= 0, got NaN"],
    [
      "in an interval the wrong way round",
      { intervalMillis: () => [9, 1] },
      "intervalMillis must be [least, greatest]"
    ],
    [
      "in a state that is lost",
      { delayMillis: (_, last) => last, next: () => NaN },
      "delay must be within its interval"
    ]
  ])("refuses a delay that is %s", (_, given, message) => {
    expect(() => mine(given)).toThrow(`Curve.mine: ${message}`)
  })

  it("checks every answer, also after construction", () => {
    const late = Backoff.fromCurve(
      mine({ delayMillis: (n, _, capMillis) => Math.min(n === 9 ? 1_000 : 10, capMillis) })
    )
    expect(delayAt(late, 8, 0)).toBe(10)
    expect(() => delayAt(late, 9, 0)).toThrow("Curve.mine: delay must be within its interval [10, 19], got 1000")
  })

  it("takes a floating-point error for the end of the interval", () => {
    const near = mine({ draws: false, delayMillis: () => 300 * (1 + 1e-12), intervalMillis: () => [0, 300] })
    expect(near.delayMillis(1, 0, Infinity, 0)).toBe(300)
  })

  it("accepts a delay of zero", () => {
    const none = mine({ draws: false, delayMillis: () => 0, intervalMillis: () => [0, 0] })
    expect(none.delayMillis(1, 0, Infinity, 0)).toBe(0)
    expect(Curve.fromFunction("none", () => 0).delayMillis(1, undefined, Infinity, 0)).toBe(0)
  })

  it("stops at the longest delay", () => {
    const endless = mine({ delayMillis: () => Infinity, intervalMillis: () => [0, Infinity] })
    expect(endless.delayMillis(1, 0, Infinity, 0)).toBe(Millis.longestMillis)
    expect(endless.intervalMillis(1, Infinity)).toEqual([0, Millis.longestMillis])
  })

  it("tries a curve only as far as it goes", () => {
    const delays: Array<number> = []
    mine({
      draws: false,
      delayMillis: (n, _, capMillis) => (n < 2 ? Math.min(10, capMillis) : undefined),
      next: (delay) => delays.push(delay)
    })
    expect(delays).toEqual([10, 10, 1])
  })

  it("says whether its sums rise", () => {
    expect([mine({ risingSums: true }), mine({})].map(({ risingSums }) => risingSums)).toEqual([true, false])
  })

  it("keeps the type of its state", () => {
    expectTypeOf(mine({})).toEqualTypeOf<Curve.Curve<number>>()
    expectTypeOf<Curve.Curve<number>>().toExtend<Curve.Curve>()
    expect([mine({}), { name: "mine" }].map(isCurve)).toEqual([true, false])
  })
})

describe("Curve.fromDraw", () => {
  const dice = (given: Partial<Curve.Formula> = {}) =>
    Curve.fromDraw({
      name: "dice",
      delayMillis: (n, capMillis, u) => Math.min(100 * n * Math.ceil(6 * u), capMillis),
      intervalMillis: (n, capMillis) => [0, Math.min(600 * n, capMillis)],
      ...given
    })

  golden([
    {
      name: "hands a formula the number of the retry and one draw for each",
      us: [0.5, 0, 0.9, 0.1, 0.3, 0.5],
      backoff: Backoff.fromCurve(dice()),
      delays: [300, 0, 1_800, 400, 1_000, 1_800]
    },
    {
      name: "hands a formula the cap",
      us: same(0.5, 6),
      backoff: Backoff.capped(Backoff.fromCurve(dice()), 1_000),
      delays: [300, 600, 900, 1_000, 1_000, 1_000]
    },
    {
      name: "ends where its formula does",
      us: same(0.5, 6),
      backoff: Backoff.fromCurve(
        dice({ delayMillis: (n, capMillis) => (n > 3 ? undefined : Math.min(100 * n, capMillis)) })
      ),
      delays: [100, 200, 300, "ended"]
    },
    {
      name: "takes a jitter where its formula does not draw",
      us: same(0.5, 6),
      backoff: Backoff.jittered(
        Backoff.fromCurve(dice({ draws: false, delayMillis: (n, capMillis) => Math.min(100 * n, capMillis) })),
        Jitter.full
      ),
      delays: [50, 100, 150, 200, 250, 300]
    }
  ])

  it("refuses a jitter where its formula draws", () => {
    expect(() => Backoff.jittered(Backoff.fromCurve(dice()), Jitter.full)).toThrow("Backoff.jittered")
  })

  it("checks every answer", () => {
    expect(() => dice({ delayMillis: () => 9_999 })).toThrow(
      "Curve.dice: delay must be within its interval [0, 600], got 9999"
    )
    const late = Backoff.fromCurve(dice({ delayMillis: (n) => (n === 9 ? NaN : 0) }))
    expect(() => delayAt(late, 9, 0)).toThrow("Curve.dice: delay must be a number >= 0, got NaN")
  })
})

describe("Curve.make, for the clamped walk of the published decorrelated jitter", () => {
  // https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/: min(cap, random(base, 3 * last)).
  golden([
    {
      name: "clamps after the draw and remembers what it clamped",
      us: same(0.5, 6),
      backoff: Backoff.capped(Backoff.fromCurve(clampedWalk(100)), 500),
      delays: [200, 350, 500, 500, 500, 500]
    },
    {
      name: "walks without a cap like Curve.decorrelated",
      us: [0.9, 0.1, 0.5, 0.2, 0.8, 0],
      backoff: Backoff.fromCurve(clampedWalk(100)),
      delays: [280, 174, 311, 267, 660, 100]
    }
  ])

  it("grows from its last delay under a cap too, even if its interval without a cap lies above it", () => {
    const feedback = Curve.make<number>({
      name: "feedback",
      draws: true,
      initial: 100,
      delayMillis: (_, last, cap, u) => Math.min(last * (2 + u), cap),
      next: (delay) => delay,
      intervalMillis: (n, cap) => [Math.min(100 * 2 ** n, cap), Math.min(100 * 3 ** n, cap)]
    })
    const backoff = Backoff.capped(Backoff.fromCurve(feedback), 500)
    expect(
      trace(
        backoff,
        same(0.5, 8).map((u) => input({ u }))
      )
    ).toEqual([250, ...same(500, 7)])
    let rest = backoff.tree
    const capping = same(0.5, 5).map((u) => {
      const stepped = BackoffTree.step(rest, input({ u }))
      rest = stepped?.rest ?? rest
      return stepped?.capped
    })
    expect(capping).toEqual([false, true, true, true, true])
  })

  it("gathers on the cap what it clamps, while Curve.decorrelated gathers nothing", () => {
    const share = (backoff: Backoff.Backoff) => {
      const delays = trace(
        Backoff.capped(backoff, "20 minutes"),
        seeded("clamp", 5_000).map((u) => input({ u }))
      )
      return delays.filter((delay) => delay === 20 * minutes).length / delays.length
    }
    expect(share(Backoff.fromCurve(clampedWalk(minutes)))).toBeGreaterThan(0.25)
    expect(share(Backoff.fromCurve(Curve.decorrelated({ base: minutes })))).toBeLessThan(0.001)
  })
})

describe("Curve.linear", () => {
  golden([
    {
      name: "grows by its step",
      backoff: Backoff.fromCurve(Curve.linear({ base: 100, step: 50 })),
      delays: [100, 150, 200, 250, 300, 350, 400]
    },
    {
      name: "starts at zero",
      backoff: Backoff.fromCurve(Curve.linear({ base: 0, step: 10 })),
      delays: [0, 10, 20, 30, 40, 50]
    },
    {
      name: "stays constant with a step of zero",
      backoff: Backoff.fromCurve(Curve.linear({ base: 7, step: 0 })),
      delays: same(7, 6)
    },
    {
      name: "adds fractions before it rounds",
      backoff: Backoff.fromCurve(Curve.linear({ base: 0, step: "1250 micros" })),
      delays: [0, 2, 3, 4, 5, 7, 8, 9, 10]
    }
  ])
})

describe("Curve.polynomial", () => {
  golden([
    {
      name: "grows with the square",
      backoff: Backoff.fromCurve(Curve.polynomial({ base: 100, degree: 2 })),
      delays: [100, 400, 900, 1_600, 2_500, 3_600, 4_900]
    },
    {
      name: "grows with the cube",
      backoff: Backoff.fromCurve(Curve.polynomial({ base: 10, degree: 3 })),
      delays: [10, 80, 270, 640, 1_250, 2_160]
    },
    {
      name: "grows with the root, rounded up",
      backoff: Backoff.fromCurve(Curve.polynomial({ base: 100, degree: 0.5 })),
      delays: [100, 142, 174, 200, 224, 245, 265, 283, 300]
    }
  ])
})

describe("Curve.fibonacci", () => {
  golden([
    {
      name: "adds the two before",
      backoff: Backoff.fromCurve(Curve.fibonacci({ base: 100 })),
      delays: [100, 100, 200, 300, 500, 800, 1_300, 2_100, 3_400]
    },
    {
      name: "multiplies a fraction before it rounds",
      backoff: Backoff.fromCurve(Curve.fibonacci({ base: "500 micros" })),
      delays: [1, 1, 1, 2, 3, 4, 7, 11]
    }
  ])

  it("follows its formula for the smallest base", () => {
    // F(80) = 23416728348467685, https://oeis.org/A000045
    expect(delayAt(Backoff.fromCurve(Curve.fibonacci({ base: "1 nanos" })), 80, 0)).toBe(23_416_728_349)
  })
})

describe("Curve.decorrelated", () => {
  // https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/: base + u * (3 * last - base)
  golden([
    { name: "stays at its base under the least draw", us: same(0, 6), ...decorrelated(), delays: same(100, 6) },
    {
      name: "grows by its means under the middle draw",
      us: same(0.5, 8),
      ...decorrelated(),
      delays: [200, 350, 575, 913, 1_419, 2_179, 3_318, 5_026]
    },
    {
      name: "triples under the greatest draw",
      us: same(last, 6),
      ...decorrelated(),
      delays: [300, 900, 2_700, 8_100, 24_300, 72_900]
    },
    {
      name: "remembers what it drew",
      us: [0.9, 0.1, 0.5, 0.2, 0.8, 0],
      ...decorrelated(),
      delays: [280, 174, 311, 267, 660, 100]
    },
    {
      name: "draws below its cap and remembers that",
      us: same(0.5, 7),
      backoff: Backoff.capped(Backoff.fromCurve(Curve.decorrelated({ base: 100 })), 1_000),
      delays: [200, 350, 550, 550, 550, 550, 550]
    }
  ])

  function decorrelated() {
    return { backoff: Backoff.fromCurve(Curve.decorrelated({ base: 100 })) }
  }
})

describe("Curve.decorrelated, by its distribution", () => {
  /** Each draw is uniform between `low` and three times the last, or the cap. */
  const walk = (n: number, base: number, low: number, cap: number): Cdf => {
    const step = (last: number, left: number): Cdf => {
      const high = Math.min(3 * Math.max(last, base), cap)
      return left === 1 ? uniform(low, high) : averaged((u) => step(low + u * (high - low), left - 1), 20)
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
    const curve = Backoff.fromCurve(Curve.decorrelated({ base: base * minutes }))
    const backoff = cap === Infinity ? curve : Backoff.capped(curve, cap * minutes)
    expect(distance(backoff, n, walk(n, base * minutes, low * minutes, cap * minutes))).toBeLessThan(1)
  })

  it("has the documented means", () => {
    const us = middles(20)
    const mean = (n: number, last: number): number =>
      us.reduce((sum, u) => sum + (n === 1 ? step(last, u) : mean(n - 1, step(last, u))), 0) / us.length
    const step = (last: number, u: number) => {
      const curve = Curve.decorrelated({ base: 1 })
      return curve.next(curve.delayMillis(2, last, Infinity, u)!, 2, last, Infinity, u)
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
    const backoff = Backoff.capped(Backoff.fromCurve(Curve.decorrelated({ base: base * 1_000 })), cap * 1_000)
    const delays = trace(
      backoff,
      seeded("atom", 20_000).map((u) => input({ u }))
    )
    // One in 19000 is the share of the last millisecond.
    expect(delays.filter((delay) => delay === cap * 1_000).length).toBeLessThan(8)
    expect(Math.max(...delays.map(Number))).toBeGreaterThan(cap * 990)
  })
})

describe("Curve.decorrelatedSmooth", () => {
  // Polly.Contrib.WaitAndRetry, DecorrelatedJitterBackoffV2, https://github.com/Polly-Contrib/Polly.Contrib.WaitAndRetry:
  // with a base of one second 0.897405, 1.093004, 2.035748, 4.045979, 8.083632, 16.163663 seconds at u = 0.5, and
  // 1.274272, 0.211379, 2.540506, 2.527594, 13.338328 seconds at u = 0.9, 0.1, 0.5, 0.2, 0.8.
  golden([
    {
      name: "follows its formula under the middle draw",
      us: same(0.5, 6),
      backoff: Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1 second" })),
      delays: [898, 1_094, 2_036, 4_046, 8_084, 16_164]
    },
    {
      name: "follows its formula to the microsecond",
      us: same(0.5, 6),
      backoff: Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1000 seconds" })),
      delays: [897_405, 1_093_004, 2_035_748, 4_045_979, 8_083_632, 16_163_663].map((millis) =>
        expect.closeTo(millis, -1)
      )
    },
    {
      name: "remembers what it drew",
      us: [0.9, 0.1, 0.5, 0.2, 0.8],
      backoff: Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1 second" })),
      delays: [1_275, 212, 2_541, 2_528, 13_339]
    }
  ])

  it("goes on in the same steps while a cap holds its path", () => {
    const backoff = Backoff.capped(Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1 second" })), "1 second")
    const delays = trace(
      backoff,
      same(0.5, 1_004).map((u) => input({ u }))
    )
    // (sqrt(2) - sqrt(1 / 2)) / (2 - 1 / 2)
    expect(delays.slice(998)).toEqual(same(472, 6))
  })

  it.prop(
    "has a total that depends on the last draw alone",
    [fc.array(draw, { minLength: 1, maxLength: 12 })],
    ([us]) => {
      const delays = trace(
        Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1 hour" })),
        us.map((u) => input({ u }))
      )
      const total = delays.reduce<number>((sum, delay) => sum + Number(delay), 0)
      const t = us.length - 1 + us.at(-1)!
      // Each delay is rounded up.
      expect(Math.abs(total - (2 ** t * Math.tanh(Math.sqrt(4 * t)) * 3_600_000) / 1.4)).toBeLessThanOrEqual(us.length)
    },
    law()
  )

  it.prop(
    "stays below four times its exponential",
    [fc.array(draw, { minLength: 1, maxLength: 12 })],
    ([us]) => {
      const delays = trace(
        Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1 second" })),
        us.map((u) => input({ u }))
      )
      delays.forEach((delay, i) => expect(delay).toBeLessThan(4_000 * 2 ** i))
    },
    law()
  )
})

describe("Curve.decorrelatedSmooth, by its distribution", () => {
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
    return n === 1 ? given(0) : averaged((u) => given(path(n - 2 + u)), 30)
  }

  it.each([1, 2, 3, 5])("follows its declared distribution, at retry %d", (n) => {
    expect(
      distance(Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1 minute" })), n, increment(n, minutes / 1.4))
    ).toBeLessThan(1)
  })

  it.each([1, 2, 3, 5])("follows its declared distribution, scaled into the cap, at retry %d", (n) => {
    const longest = path(n) - (n === 1 ? 0 : path(n - 2))
    expect(
      distance(
        Backoff.capped(Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1 hour" })), "10 minutes"),
        n,
        increment(n, (10 * minutes) / longest)
      )
    ).toBeLessThan(1)
  })

  it("has the documented medians", () => {
    const medians = [1, 2, 3, 4, 5, 6].map((n) => {
      const sorted = samples(Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "1 minute" })), n).toSorted(
        (a, b) => a - b
      )
      return sorted[count / 2]! / minutes
    })
    const documented = [0.9, 1.1, 2, 4, 8, 16]
    medians.forEach((median, i) => expect(Math.abs(median / documented[i]! - 1)).toBeLessThan(0.08))
  })

  it("gathers nothing on a cap", () => {
    const backoff = Backoff.capped(Backoff.fromCurve(Curve.decorrelatedSmooth({ base: "10 seconds" })), "20 seconds")
    const delays = trace(
      backoff,
      seeded("atom", 20_000).map((u) => input({ u }))
    )
    expect(delays.filter((delay) => delay === 20_000).length).toBeLessThan(8)
    expect(Math.max(...delays.map(Number))).toBeGreaterThan(19_000)
  })
})

describe("Curve.fromDraw, for the truncated exponential back-off of Cloud Storage", () => {
  // https://cloud.google.com/storage/docs/retry-strategy: min(2^n seconds + random milliseconds up to 1000, maximum)
  const documented = Backoff.fromCurve(google({ baseMillis: 1_000, maximumMillis: 64_000 }))

  golden([
    {
      name: "doubles up to its maximum under the least draw",
      us: same(0, 8),
      backoff: documented,
      delays: s(1, 2, 4, 8, 16, 32, 64, 64)
    },
    {
      name: "adds half a second under the middle draw, and clamps after it",
      us: same(0.5, 8),
      backoff: documented,
      delays: s(1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 64, 64)
    },
    {
      name: "adds its random milliseconds to a curve of its own factor",
      us: [0.25, 0.5, 0.75, 0, 1 / 8, 3 / 8],
      backoff: Backoff.fromCurve(google({ baseMillis: 100, factor: 3, maximumMillis: 5_000, randomMillis: 80 })),
      delays: [120, 340, 960, 2_700, 5_000, 5_000]
    },
    {
      name: "bends to a cap below its maximum",
      us: same(0.5, 6),
      backoff: Backoff.capped(documented, "10 seconds"),
      delays: s(1.5, 2.5, 4.5, 8.5, 10, 10)
    }
  ])
})

describe("Curve.fromDraw, for the truncated exponential back-off of Cloud Storage, by its distribution", () => {
  it("follows its declared distribution below its maximum", () => {
    const backoff = Backoff.fromCurve(
      google({ baseMillis: minutes, maximumMillis: 60 * minutes, randomMillis: 10 * minutes })
    )
    expect(distance(backoff, 3, uniform(4 * minutes, 14 * minutes))).toBeLessThan(1)
  })

  it("gathers on its maximum what its formula clamps there, as Cloud Storage documents it", () => {
    // The one curve with an atom: https://cloud.google.com/storage/docs/retry-strategy says min(... + random, maximum).
    const backoff = Backoff.fromCurve(google({ baseMillis: 63_250, maximumMillis: 64_000 }))
    const share = middles(10_000).filter((u) => delayAt(backoff, 1, u) === 64_000).length / 10_000
    expect(share).toBeCloseTo(0.251, 3)
  })
})

interface Google {
  readonly baseMillis: number
  readonly factor?: number
  readonly maximumMillis: number
  readonly randomMillis?: number
}

/** `min(base * factor^(n - 1) + u * random, maximum)`: a vendor's curve, which clamps after its draw. */
function google({ baseMillis, factor = 2, maximumMillis, randomMillis = 1_000 }: Google): Curve.Curve<undefined> {
  const at = (n: number, capMillis: number, u: number) =>
    Math.min(baseMillis * factor ** (n - 1) + u * randomMillis, maximumMillis, capMillis)
  return Curve.fromDraw({
    name: "google",
    delayMillis: at,
    intervalMillis: (n, capMillis) => [at(n, capMillis, 0), at(n, capMillis, 1)]
  })
}

function gaxios(unitMillis: number, multiplier: number): Curve.Curve<undefined> {
  return Curve.fromFunction("gaxios", (n) => (unitMillis * (multiplier ** n - 1)) / 2)
}

function clampedWalk(baseMillis: number): Curve.Curve<number> {
  return Curve.make({
    name: "clamped walk",
    draws: true,
    initial: baseMillis,
    delayMillis: (_, last, capMillis, u) => Math.min(baseMillis + u * (3 * last - baseMillis), capMillis),
    next: (delayMillis) => delayMillis,
    // A cap below the base clamps the walk under it, and the draws then begin below the base too.
    intervalMillis: (n, capMillis) => [0, Math.min(baseMillis * 3 ** n, capMillis)]
  })
}
