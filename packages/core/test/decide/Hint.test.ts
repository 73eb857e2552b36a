import { Hint, Verdict } from "@effect-retry/core"
import * as Millis from "@effect-retry/core/unstable/Millis"
import * as HintRule from "@effect-retry/core/unstable/HintRule"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Option } from "effect"
import { critical, statistic, uniform } from "../support/KolmogorovSmirnov.ts"
import { seeded } from "../support/Draws.ts"
import { law } from "../support/Laws.ts"

const { draw, millis } = Arbitraries

/** A row: the back-off's delay, the hint, the draw, and what is waited; `undefined` if the hint is given up on. */
type Row = readonly [delay: number, hint: number, u: number, bent: number | undefined]

const table = (name: string, rule: Hint.Hint, rows: ReadonlyArray<Row>) =>
  it.effect(name, () =>
    Effect.sync(() => {
      expect(rows.map(([delay, hint, u]) => [delay, hint, u, HintRule.bend(rule, delay, hint, u)])).toEqual(rows)
    })
  )

const rules = (atMost: number): ReadonlyArray<Hint.Hint> => [
  Hint.ignore,
  Hint.override({ atMost, otherwise: "clamp" }),
  Hint.override({ atMost, otherwise: "giveUp", startsOver: true }),
  Hint.override({ atMost, otherwise: "ignore" }),
  Hint.floor({ atMost, otherwise: "clamp" }),
  Hint.floor({ jitterRatio: 0.3, atMost, otherwise: "giveUp" }),
  Hint.within({ above: atMost })
]

describe("HintRule.is", () => {
  const whole: ReadonlyArray<Hint.Hint> = [
    ...rules(0),
    { _tag: "Override", atMostMillis: Infinity, otherwise: "giveUp", startsOver: true }
  ]

  it.each(whole.map((rule) => ({ rule, fields: Object.keys(rule).join(", ") })))(
    "accepts a rule of $fields, and no rule that lacks one of them",
    ({ rule }) => {
      expect(HintRule.is(rule)).toBe(true)
      for (const field of Object.keys(rule))
        expect([field, HintRule.is({ ...rule, [field]: undefined })]).toEqual([field, false])
    }
  )

  it.each([
    { name: "nothing", value: undefined },
    { name: "null", value: null },
    { name: "a text", value: "Ignore" },
    { name: "a tag that all objects have", value: { _tag: "toString" } },
    { name: "a list of a tag", value: { _tag: ["Ignore"] } },
    { name: "a negative bound", value: { ...Hint.standard, atMostMillis: -1 } },
    { name: "a bound that is no number", value: { ...Hint.standard, atMostMillis: NaN } },
    { name: "a text for a flag", value: { ...Hint.standard, startsOver: "false" } },
    { name: "a number for a word", value: { ...Hint.standard, otherwise: 0 } }
  ])("refuses $name", ({ value }) => {
    expect(HintRule.is(value)).toBe(false)
  })
})

describe("Hint.ignore", () => {
  table("waits as the back-off says", Hint.ignore, [
    [100, 0, 0.5, 100],
    [100, 100, 0.5, 100],
    [100, 5_000, 0.5, 100],
    [0, 5_000, 0.5, 0],
    [0, 0, 0, 0],
    [100, Infinity, 0.9, 100]
  ])
})

describe("Hint.override", () => {
  table("waits what the server asked for, up to its bound", Hint.override({ atMost: 1_000, otherwise: "clamp" }), [
    [100, 1, 0.5, 1],
    [100, 50, 0.5, 50],
    [100, 700.2, 0.5, 701],
    [100, 1_000, 0.5, 1_000],
    [100, 1_001, 0.5, 1_000],
    [5_000, 1e99, 0.5, 1_000],
    [5_000, Infinity, 0.5, 1_000]
  ])

  table(
    "leaves the back-off's delay where the hint is in the past",
    Hint.override({ atMost: 1_000, otherwise: "clamp" }),
    [
      [100, 0, 0.5, 100],
      [0, 0, 0.5, 0],
      [5_000, 0, 0.5, 5_000],
      [100, 1e-9, 0.5, 100],
      [100, 0.5, 0.5, 1]
    ]
  )

  table(
    "retries at once after a hint of no time, where asked to",
    Hint.override({ atMost: 1_000, otherwise: "clamp", zero: "atOnce" }),
    [
      [100, 0, 0.5, 0],
      [5_000, 1e-9, 0.5, 0],
      [100, 0.5, 0.5, 1],
      [100, 700, 0.5, 700],
      [100, 5_000, 0.5, 1_000]
    ]
  )

  it("refuses an unknown word for the meaning of a hint of zero", () => {
    const zero = "never" as "none"
    expect(() => Hint.override({ atMost: 1_000, otherwise: "clamp", zero })).toThrow(
      'Hint.override: zero must be one of none, atOnce, got "never"'
    )
  })

  table("leaves the back-off's delay beyond its bound", Hint.override({ atMost: 1_000, otherwise: "ignore" }), [
    [100, 1_000, 0.5, 1_000],
    [100, 1_001, 0.5, 100],
    [5_000, Infinity, 0.5, 5_000]
  ])

  table("gives up beyond its bound, and not on it", Hint.override({ atMost: 1_000, otherwise: "giveUp" }), [
    [100, 0, 0.5, 100],
    [100, 999.5, 0.5, 1_000],
    [100, 1_000, 0.5, 1_000],
    [100, 1_000.000_001, 0.5, undefined],
    [100, 1e99, 0.5, undefined],
    [100, Infinity, 0.5, undefined]
  ])

  table("follows no hint with a bound of zero", Hint.override({ atMost: 0, otherwise: "giveUp" }), [
    [100, 0, 0.5, 100],
    [100, 1, 0.5, undefined]
  ])
})

describe("Hint.floor", () => {
  table("waits the longer of delay and hint", Hint.floor({ atMost: 1_000, otherwise: "clamp" }), [
    [100, 0, 0.5, 100],
    [100, 99, 0.5, 100],
    [100, 100.5, 0.5, 101],
    [100, 1_000, 0.5, 1_000],
    [100, 2_000, 0.5, 1_000],
    [3_000, 2_000, 0.5, 3_000],
    [100, Infinity, 0.5, 1_000]
  ])

  table("jitters upward only, within its bound", Hint.floor({ jitterRatio: 0.5, atMost: 1_000, otherwise: "clamp" }), [
    [0, 400, 0, 400],
    [0, 400, 0.5, 500],
    [0, 400, 0.999, 600],
    [550, 400, 0.5, 550],
    [0, 900, 0, 900],
    [0, 900, 0.5, 950],
    [0, 1_000, 0.5, 1_000]
  ])

  table(
    "spreads below its bound what it clamps",
    Hint.floor({ jitterRatio: 0.25, atMost: 1_000, otherwise: "clamp" }),
    [
      [0, 1_001, 0, 800],
      [0, 5_000, 0.5, 900],
      [0, Infinity, 0.999_999, 1_000],
      [950, 5_000, 0.5, 950]
    ]
  )

  table(
    "leaves the back-off's delay beyond its bound",
    Hint.floor({ jitterRatio: 0.5, atMost: 1_000, otherwise: "ignore" }),
    [
      [100, 1_000, 0.5, 1_000],
      [100, 1_001, 0.5, 100],
      [5_000, Infinity, 0.5, 5_000]
    ]
  )

  table(
    "gives up beyond its bound, however long the delay",
    Hint.floor({ jitterRatio: 0.5, atMost: 1_000, otherwise: "giveUp" }),
    [
      [0, 1_000, 0.5, 1_000],
      [0, 1_000.5, 0, undefined],
      [9_000, 1_000.5, 0, undefined],
      [9_000, 1_000, 0, 9_000],
      [0, 1e99, 0, undefined],
      [0, Infinity, 0, undefined]
    ]
  )

  it.each([
    ["below the bound", 45_000, 45_000],
    ["just below the bound", 59_000, 59_000],
    ["beyond the bound", 3_600_000, 40_000]
  ])("gathers nothing on its bound for a hint %s", (_, hint, least) => {
    const rule = Hint.floor({ jitterRatio: 0.5, atMost: "1 minute", otherwise: "clamp" })
    const waits = seeded("atMost", 5_000).map((u) => HintRule.bend(rule, 0, hint, u) ?? NaN)
    expect(statistic(waits, uniform(least, 60_000))).toBeLessThan(critical(5_000))
  })

  it("spreads the clients that got one hint evenly above it", () => {
    const rule = Hint.floor({ jitterRatio: 0.2, atMost: "1 hour", otherwise: "giveUp" })
    const waits = seeded("hint", 5_000).map((u) => HintRule.bend(rule, 0, 600_000, u) ?? NaN)
    expect(statistic(waits, uniform(600_000, 720_000))).toBeLessThan(critical(5_000))
  })

  it.prop(
    "never undercuts a hint up to its bound, nor the back-off",
    [
      millis(0, Millis.longestMillis),
      millis(0, Millis.longestMillis),
      millis(0, Millis.longestMillis),
      fc.double({ min: 0, max: 1, noNaN: true }),
      draw,
      fc.constantFrom("clamp" as const, "giveUp" as const, "ignore" as const)
    ],
    ([delay, hint, atMost, jitterRatio, u, otherwise]) => {
      const whole = Math.floor(delay)
      const bent = HintRule.bend(Hint.floor({ jitterRatio, atMost, otherwise }), whole, hint, u)
      if (bent === undefined) {
        expect([otherwise, hint > atMost]).toEqual(["giveUp", true])
      } else {
        expect(bent).toBeGreaterThanOrEqual(whole)
        // What is clamped is spread below the bound; a nanosecond is a floating-point error.
        const least = hint > atMost ? atMost / (1 + jitterRatio) : hint
        if (hint <= atMost || otherwise === "clamp") expect(bent).toBeGreaterThanOrEqual(least - 1e-6)
        else expect([otherwise, bent]).toEqual(["ignore", whole])
        expect(bent).toBeLessThanOrEqual(Math.max(whole, Math.ceil(atMost)))
      }
    },
    law(500)
  )
})

describe("Hint.within", () => {
  // https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html: max(t, min(hint, t + 5 s))
  table("follows the server inside the window of the AWS SDKs", Hint.within({ above: "5 seconds" }), [
    [1_000, 0, 0.5, 1_000],
    [1_000, 500, 0.5, 1_000],
    [1_000, 1_500, 0.5, 1_500],
    [1_000, 6_000, 0.5, 6_000],
    [1_000, 10_000, 0.5, 6_000],
    [1_000, Infinity, 0.5, 6_000],
    [0, 10_000, 0.5, 5_000]
  ])
})

describe("Hint.standard", () => {
  table("is a floor of at most a minute with a jitter of one half, and gives up beyond", Hint.standard, [
    [100, 0, 0.5, 100],
    [100, 30_000, 0, 30_000],
    [100, 30_000, 0.5, 37_500],
    [100, 50_000, 0.5, 55_000],
    [100, 60_000, 0.5, 60_000],
    [100, 60_001, 0.5, undefined]
  ])
})

describe("HintRule.startsOver", () => {
  const atMost = 1_000
  const startsOver = true

  it.each<[string, Hint.Hint, delay: number, hint: number, boolean]>([
    ["for a rule that does not", Hint.override({ atMost, otherwise: "clamp" }), 100, 200, false],
    ["where hints are ignored", Hint.ignore, 100, 200, false],
    ["after an override", Hint.override({ atMost, otherwise: "clamp", startsOver }), 100, 20, true],
    ["after a hint in the past", Hint.override({ atMost, otherwise: "clamp", startsOver }), 100, 0, false],
    [
      "after one of no time that counts",
      Hint.override({ atMost, otherwise: "clamp", startsOver, zero: "atOnce" }),
      100,
      0,
      true
    ],
    ["after a clamped override", Hint.override({ atMost, otherwise: "clamp", startsOver }), 100, 2_000, true],
    ["after a hint beyond the bound", Hint.override({ atMost, otherwise: "ignore", startsOver }), 100, 2_000, false],
    ["after a hint of the bound", Hint.override({ atMost, otherwise: "giveUp", startsOver }), 100, atMost, true],
    ["after one that is given up on", Hint.override({ atMost, otherwise: "giveUp", startsOver }), 100, 2_000, false],
    ["after a floor above the delay", Hint.floor({ atMost, otherwise: "clamp", startsOver }), 100, 100, true],
    ["after a floor below the delay", Hint.floor({ atMost, otherwise: "clamp", startsOver }), 100, 99, false],
    ["after a clamped floor below it", Hint.floor({ atMost, otherwise: "clamp", startsOver }), 2_000, 3_000, false],
    ["after a hint in the window", Hint.within({ above: 50, startsOver }), 100, 120, true],
    ["after a hint above the window", Hint.within({ above: 50, startsOver }), 100, 900, true],
    ["after a hint below the window", Hint.within({ above: 50, startsOver }), 100, 100, false]
  ])("says whether the back-off starts over %s", (_, rule, delay, hint, expected) => {
    expect(HintRule.startsOver(rule, delay, hint)).toBe(expected)
  })

  it("is off by default", () => {
    const given = [
      Hint.override({ atMost, otherwise: "clamp" }),
      Hint.floor({ atMost, otherwise: "clamp" }),
      Hint.within({ above: 1 })
    ]
    expect(given.map((rule) => "startsOver" in rule && rule.startsOver)).toEqual([false, false, false])
  })
})

describe("HintRule.draws", () => {
  it("says whether it looks at the draw", () => {
    expect(rules(5).map(HintRule.draws)).toEqual([false, false, false, false, false, true, false])
  })

  it.prop(
    "says no only if the draw makes no difference",
    [fc.constantFrom(...rules(1_000)), millis(0, 5_000), millis(0, 5_000), draw],
    ([rule, delay, hint, u]) => {
      if (HintRule.draws(rule)) return
      expect(HintRule.bend(rule, delay, hint, u)).toBe(HintRule.bend(rule, delay, hint, 0))
    },
    law()
  )
})

describe("HintRule.bend", () => {
  const said = fc.oneof(
    fc.constantFrom<unknown>(1e99, -1, NaN, Infinity, -Infinity, Number.MAX_VALUE, 10n ** 400n, "garbage", "1e99 s", [
      NaN,
      0
    ]),
    fc.anything(),
    fc.double()
  )

  it.prop(
    "turns any hint into a whole wait, or none",
    [said, millis(0, 1e9).map(Math.floor), fc.constantFrom(0, 1, 60_000, 1e300), draw],
    ([hint, delay, atMost, u]) => {
      const verdict = Verdict.retryable("Throttling", { hint: hint as never })
      const hintMillis = Option.map(verdict.hint, Duration.toMillis)
      for (const rule of rules(atMost)) {
        const bent = Option.match(hintMillis, {
          onNone: () => delay,
          onSome: (millis) => HintRule.bend(rule, delay, millis, u)
        })
        expect(bent ?? 0).toSatisfy(
          (wait: number) => Number.isSafeInteger(wait) && wait >= 0 && wait <= Millis.longestMillis
        )
      }
    },
    law(1_000)
  )
})
