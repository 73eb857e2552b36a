import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import * as Cubic from "../../../src/fund/count/Cubic.ts"
import { law } from "../../support/Laws.ts"

/** The defaults of the SDKs. */
const sdk: Cubic.Settings = {
  beta: 0.7,
  scaleConstant: 0.4,
  smoothing: 0.8,
  minFillRate: 0.5,
  minCapacity: 1,
  measurementBucketMillis: 500,
  cutAtMostEveryMillis: 0,
  idleAfterMillis: Infinity,
  offAfterMillis: Infinity
}

/** A limiter that has been cut from 10 to 7 at second 5, and whose measured rate is too high to matter. */
const cutAt5: Cubic.Cubic = {
  ...Cubic.make(sdk, 5000),
  enabled: true,
  measuredRate: 1000,
  measurementBucket: Infinity,
  wMax: 10,
  fillRate: 7
}

interface Result {
  readonly second: number
  readonly throttled?: true
}

/** The state after each result. */
const states = (start: Cubic.Cubic, settings: Cubic.Settings, results: ReadonlyArray<Result>) => {
  let state = start
  return results.map(({ second, throttled = false }) => {
    state = Cubic.recorded(state, settings, Math.round(second * 1000), throttled)
    return state
  })
}

/** A result every ten milliseconds: 100 per second. */
const steady = (fromSecond: number, toSecond: number): ReadonlyArray<Result> =>
  Array.from({ length: Math.round((toSecond - fromSecond) * 100) }, (_, i) => ({ second: fromSecond + (i + 1) / 100 }))

const last = (all: ReadonlyArray<Cubic.Cubic>): Cubic.Cubic => all.at(-1) ?? cutAt5

/** The rate so many seconds after a cut of `wMax`. */
const rateAfter = (wMax: number, seconds: number, settings = sdk): number =>
  Cubic.recorded({ ...cutAt5, wMax }, settings, 5000 + seconds * 1000, false).fillRate

/** As the rate right after the cut shows it: `wMax - scaleConstant * recovery ^ 3`. */
const recoverySeconds = (wMax: number): number =>
  Math.cbrt((wMax - rateAfter(wMax, 0, { ...sdk, minFillRate: 0 })) / 0.4)

describe("Cubic.recorded after a cut", () => {
  // Source: boto/botocore, tests/unit/retries/test_throttling.py, read 2026-11-20.
  it.each([
    { wMax: 10, seconds: 1.9574338205844317 },
    { wMax: 8, seconds: 1.8171205928321397 },
    { wMax: 0, seconds: 0 }
  ])("takes $seconds seconds back to $wMax per second", ({ seconds, wMax }) => {
    expect(recoverySeconds(wMax)).toBeCloseTo(seconds, 9)
  })

  // Source: aws/aws-sdk-go-v2, aws/retry/adaptive_ratelimit_test.go; smithy-lang/smithy-rs, client_rate_limiter.rs;
  // smithy-lang/smithy-kotlin, AdaptiveRetryIntegrationTestResources.kt ("success only"); read 2026-11-20.
  it.each([
    { second: 5, rate: 7 },
    { second: 6, rate: 9.64893600966 },
    { second: 7, rate: 10.000030849917364 },
    { second: 8, rate: 10.453284520772092 },
    { second: 9, rate: 13.408697022224185 },
    { second: 10, rate: 21.26626835427364 },
    { second: 11, rate: 36.425998516920465 }
  ])("is $rate at second $second after a cut from ten at second five", ({ rate, second }) => {
    expect(rateAfter(10, second - 5)).toBeCloseTo(rate, 9)
  })

  it("is the rate before the cut once the recovery is over, below it before and above it after", () => {
    const recovery = recoverySeconds(10)
    expect(rateAfter(10, recovery)).toBeCloseTo(10, 9)
    for (const factor of [1 / 3, 1 / 2, 1 / 1.1]) expect(rateAfter(10, recovery * factor)).toBeLessThan(10)
    for (const factor of [1.1, 2]) expect(rateAfter(10, recovery * factor)).toBeGreaterThan(10)
  })

  it.each([0.6, 0.7])("begins where a cut by %d ends", (beta) => {
    expect(rateAfter(10, 0, { ...sdk, beta })).toBeCloseTo(beta * 10, 9)
  })
})

/** From second five; the same throttles in both tables. */
interface Mixed extends Result {
  readonly production: number
  /** Only where the other table differs. */
  readonly harness?: number
}

// Source of `production`: smithy-lang/smithy-kotlin, AdaptiveRetryIntegrationTestResources.kt ("Cubic success #2").
// Source of `harness`: aws/aws-sdk-go-v2, adaptive_ratelimit_test.go; smithy-lang/smithy-rs, client_rate_limiter.rs,
// test_calculated_rate_with_throttles. Read 2026-11-20.
const mixed: ReadonlyArray<Mixed> = [
  { second: 5, production: 7 },
  { second: 6, production: 9.64893600966 },
  { second: 7, throttled: true, production: 6.754255206761999 },
  { second: 8, throttled: true, production: 4.727978644733399 },
  { second: 9, production: 6.606547753887045, harness: 4.670125557970046 },
  { second: 10, production: 6.763279816944947, harness: 4.770870456867401 },
  { second: 11, production: 7.598174833907107, harness: 6.011819748005445 },
  { second: 12, production: 11.511232804773524, harness: 10.792973431384178 }
]

interface Row extends Result {
  readonly measured: number
  readonly fill: number
}

// Source: smithy-lang/smithy-rs, client_rate_limiter.rs (tests); the same seventeen rows, with six decimals, are in the
// tests of the SDKs for JavaScript, Java, PHP and .NET. Read 2026-11-20.
const seventeen: ReadonlyArray<Row> = [
  { second: 0.2, measured: 0, fill: 0.5 },
  { second: 0.4, measured: 0, fill: 0.5 },
  { second: 0.6, measured: 4.8, fill: 0.5 },
  { second: 0.8, measured: 4.8, fill: 0.5 },
  { second: 1, measured: 4.16, fill: 0.5 },
  { second: 1.2, measured: 4.16, fill: 0.6912 },
  { second: 1.4, measured: 4.16, fill: 1.0976 },
  { second: 1.6, measured: 5.632, fill: 1.6384 },
  { second: 1.8, measured: 5.632, fill: 2.3328 },
  { second: 2, throttled: true, measured: 4.3264, fill: 3.02848 },
  { second: 2.2, measured: 4.3264, fill: 3.48663917347026 },
  { second: 2.4, measured: 4.3264, fill: 3.821874416040255 },
  { second: 2.6, measured: 5.66528, fill: 4.053385727709987 },
  { second: 2.8, measured: 5.66528, fill: 4.200373108479454 },
  { second: 3, measured: 4.333056, fill: 4.282036558348658 },
  { second: 3.2, throttled: true, measured: 4.333056, fill: 2.99742559084406 },
  { second: 3.4, measured: 4.333056, fill: 3.4522263943863463 }
]

describe("Cubic.recorded", () => {
  it("cuts and grows as the SDKs do, returning to the rate before the cut", () => {
    states(cutAt5, sdk, mixed).forEach(({ fillRate }, i) =>
      expect(fillRate).toBeCloseTo(mixed[i]?.production ?? NaN, 9)
    )
  })

  it("does not return to the rate after the cut, as the tests of two SDKs do and their code does not", () => {
    const afterTheCut = 4.727978644733399
    const fills = states(cutAt5, sdk, mixed).map(({ fillRate }) => fillRate)
    const contradicting = mixed.flatMap((row, i) =>
      row.harness === undefined ? [] : [{ ...row, fill: fills[i] ?? NaN }]
    )
    expect(contradicting).toHaveLength(4)
    for (const { fill, harness = NaN, second } of contradicting) {
      expect(rateAfter(afterTheCut, second - 8)).toBeCloseTo(harness, 9)
      expect(fill - harness).toBeGreaterThan(0.7)
    }
  })

  it("measures and limits as the seventeen rows of the SDKs say", () => {
    states(Cubic.make(sdk, 0), sdk, seventeen).forEach(({ enabled, fillRate, measuredRate }, i) => {
      expect(measuredRate).toBeCloseTo(seventeen[i]?.measured ?? NaN, 9)
      expect(fillRate).toBeCloseTo(seventeen[i]?.fill ?? NaN, 9)
      expect(enabled).toBe(i >= 9)
    })
  })

  it("gives the same rows after a start at any whole second", () => {
    const start = 1_763_600_000
    const later = seventeen.map((row) => ({ ...row, second: row.second + start }))
    states(Cubic.make(sdk, start * 1000), sdk, later).forEach(({ fillRate }, i) =>
      expect(fillRate).toBeCloseTo(seventeen[i]?.fill ?? NaN, 9)
    )
  })

  it("measures from the whole second before the start", () => {
    const [first] = states(Cubic.make(sdk, 10_700), sdk, [{ second: 11 }])
    expect(first?.measuredRate).toBeCloseTo(0.8, 9)
  })

  it("cuts from the measured rate at first, and from the lower of limit and measured rate later", () => {
    const first = Cubic.recorded({ ...cutAt5, enabled: false, measuredRate: 8 }, sdk, 6000, true)
    expect(first.wMax).toBeCloseTo(8, 9)
    expect(first.fillRate).toBeCloseTo(5.6, 9)
    const second = Cubic.recorded(first, sdk, 6000, true)
    expect(second.wMax).toBeCloseTo(5.6, 9)
    const third = Cubic.recorded({ ...second, measuredRate: 2 }, sdk, 6000, true)
    expect(third.wMax).toBeCloseTo(2, 9)
    expect(third.fillRate).toBeCloseTo(1.4, 9)
  })

  it("limits to twice what is measured, and to no less than the least", () => {
    expect(last(states({ ...cutAt5, measuredRate: 3 }, sdk, [{ second: 11 }])).fillRate).toBeCloseTo(6, 9)
    const least = last(states({ ...cutAt5, measuredRate: 0 }, sdk, [{ second: 11 }]))
    expect([least.fillRate, least.capacity]).toEqual([0.5, 1])
  })

  it("keeps as many tokens as the new capacity can hold, and what came in at the old rate", () => {
    const full = { ...cutAt5, capacity: 7, tokens: { level: 2, atMillis: 5000 } }
    const after = Cubic.recorded(full, sdk, 5500, true)
    expect(after.tokens.level).toBeCloseTo(4.9, 9)
    expect(Cubic.recorded({ ...full, tokens: { level: 0, atMillis: 5000 } }, sdk, 5500, true).tokens.level).toBeCloseTo(
      3.5,
      9
    )
  })

  it("stands still while the clock is behind", () => {
    const before = Cubic.recorded(cutAt5, sdk, 8000, false)
    const after = Cubic.recorded(before, sdk, 1000, false)
    expect(after.tokens.level).toBe(before.tokens.level)
    expect(after.fillRate).toBeCloseTo(7, 9)
  })
})

/** A hundred results per second for ten seconds, then twenty throttles within twenty milliseconds. */
const storm = (settings: Cubic.Settings) => {
  const calm = last(states(Cubic.make(settings, 0), settings, steady(0, 10)))
  const throttles = Array.from({ length: 20 }, (_, i) => ({ second: 10 + (i + 1) / 1000, throttled: true as const }))
  return states(calm, settings, throttles)
}

describe("Cubic.Settings cutAtMostEveryMillis", () => {
  it("is off by default: a burst of throttles cuts once each, and takes the rate to the floor", () => {
    const cuts = storm(sdk)
    expect(cuts[0]?.fillRate ?? NaN).toBeCloseTo(70, 9)
    expect(cuts[4]?.fillRate ?? NaN).toBeCloseTo(100 * 0.7 ** 5, 9)
    expect(cuts[19]?.fillRate).toBe(0.5)
    expect(cuts[19]?.wMax).toBeLessThan(1)
  })

  it("makes one cut of a burst of throttles, and lets the rate return to where it was", () => {
    const cuts = storm({ ...sdk, cutAtMostEveryMillis: 100 })
    cuts.forEach(({ fillRate, wMax }) => {
      expect(fillRate).toBeCloseTo(70, 9)
      expect(wMax).toBeCloseTo(100, 9)
    })
  })

  it("cuts again when the time is over, to the millisecond", () => {
    const settings = { ...sdk, cutAtMostEveryMillis: 100 }
    const [once, within100, after100] = states(cutAt5, settings, [
      { second: 6, throttled: true },
      { second: 6.099, throttled: true },
      { second: 6.1, throttled: true }
    ])
    expect(within100?.fillRate).toBe(once?.fillRate)
    expect(after100?.fillRate ?? NaN).toBeCloseTo((once?.fillRate ?? NaN) * 0.7, 9)
  })

  it("does not hold back the very first cut", () => {
    const settings = { ...sdk, cutAtMostEveryMillis: 100 }
    const first = Cubic.recorded({ ...Cubic.make(settings, 0), measuredRate: 10 }, settings, 50, true)
    expect([first.enabled, first.fillRate]).toEqual([true, 7])
  })
})

describe("Cubic.Settings idleAfterMillis", () => {
  const silence = (settings: Cubic.Settings) => {
    const busy = last(states(Cubic.make(settings, 0), settings, steady(0, 10)))
    const limited = Cubic.recorded(busy, settings, 10_000, true)
    return { limited, after: Cubic.recorded(limited, settings, 70_000, false) }
  }

  it("is off by default: a minute of silence pulls the measured rate down, and the limit with it", () => {
    const { after, limited } = silence(sdk)
    expect(limited.measuredRate).toBeCloseTo(100, 9)
    expect(after.measuredRate).toBeCloseTo((0.8 * (after.count === 0 ? limited.count + 1 : NaN)) / 60 + 20, 9)
    expect(after.fillRate).toBeCloseTo(2 * after.measuredRate, 9)
  })

  it("leaves a long silence out of the measured rate", () => {
    const { after, limited } = silence({ ...sdk, idleAfterMillis: 2000 })
    expect(after.measuredRate).toBe(limited.measuredRate)
    expect(after.fillRate).toBeCloseTo(200, 9)
  })

  it("measures anew from the first result after the silence", () => {
    const settings = { ...sdk, idleAfterMillis: 2000 }
    const { after } = silence(settings)
    const resumed = last(states(after, settings, [{ second: 70.2 }, { second: 70.5 }]))
    expect(resumed.measuredRate).toBeCloseTo(0.8 * (3 / 0.5) + 0.2 * after.measuredRate, 9)
  })

  it("counts a silence that is shorter by a millisecond", () => {
    const settings = { ...sdk, idleAfterMillis: 2000 }
    const heard = { ...cutAt5, measurementBucket: 10, recordedAtMillis: 5000 }
    expect(Cubic.recorded(heard, settings, 6999, false).measuredRate).toBeLessThan(1000)
    expect(Cubic.recorded(heard, settings, 7000, false).measuredRate).toBe(1000)
  })
})

describe("Cubic.Settings offAfterMillis", () => {
  const isLimited = (...asked: Parameters<typeof Cubic.level>) => Cubic.level(...asked) < Infinity
  const settings = { ...sdk, offAfterMillis: 30_000 }

  it("is off by default: once there was a throttle there is a limit for ever", () => {
    expect(isLimited(cutAt5, sdk, 1e12)).toBe(true)
    expect(Cubic.millisUntil(cutAt5, sdk, 5000, Infinity)).toBe(Infinity)
  })

  it("takes the limit away when no throttle came for so long, to the millisecond", () => {
    expect(isLimited(cutAt5, settings, 34_999)).toBe(true)
    expect(isLimited(cutAt5, settings, 35_000)).toBe(false)
    expect(Option.map(Cubic.taken(cutAt5, settings, 35_000, 1), ([tokens]) => tokens)).toEqual(Option.some(0))
    expect(Cubic.millisUntil(cutAt5, settings, 34_999, 1e9)).toBe(1)
  })

  it("counts from the latest throttle, also from one that made no cut", () => {
    const both = { ...settings, cutAtMostEveryMillis: 10_000 }
    const [, second] = states(cutAt5, both, [
      { second: 20, throttled: true },
      { second: 29, throttled: true }
    ])
    expect(isLimited(second ?? cutAt5, both, 58_999)).toBe(true)
    expect(isLimited(second ?? cutAt5, both, 59_000)).toBe(false)
  })

  it("cuts from the measured rate when the server throttles again", () => {
    const again = Cubic.recorded({ ...cutAt5, measuredRate: 50 }, settings, 60_000, true)
    expect([again.enabled, again.fillRate]).toEqual([true, 35])
  })
})

describe("Cubic.taken", () => {
  it("takes nothing and grants everything before the first throttle", () => {
    const start = Cubic.make(sdk, 0)
    for (let i = 0; i < 100; i++) expect(Cubic.taken(start, sdk, 0, 1)).toEqual(Option.some([0, start]))
  })

  it("grants nothing right after a first throttle, and one attempt when time has brought a token", () => {
    const throttled = Cubic.recorded(Cubic.make(sdk, 0), sdk, 100, true)
    expect(Cubic.taken(throttled, sdk, 100, 1)).toEqual(Option.none())
    expect(Cubic.millisUntil(throttled, sdk, 100, 1)).toBe(2000)
    expect(Cubic.taken(throttled, sdk, 2099, 1)).toEqual(Option.none())
    const [tokens, after] = Option.getOrThrow(Cubic.taken(throttled, sdk, 2100, 1))
    expect([tokens, after.tokens.level]).toEqual([1, 0])
  })

  it("makes no tokens when the clock steps back", () => {
    const state = { ...cutAt5, tokens: { level: 0.5, atMillis: 9000 } }
    expect(Cubic.taken(state, sdk, 6000, 1)).toEqual(Option.none())
    expect(Cubic.level(state, sdk, 6000)).toBe(0.5)
  })
})

describe("Cubic.refunded", () => {
  it("puts a token back up to the capacity, and none without a limit", () => {
    const state = { ...cutAt5, capacity: 7, tokens: { level: 6.5, atMillis: 5000 } }
    expect(Cubic.refunded(state, 5000, 1).tokens.level).toBe(7)
    expect(Cubic.refunded({ ...state, enabled: false }, 5000, 1).tokens.level).toBe(6.5)
  })
})

describe("Cubic.level", () => {
  it("is unlimited until a throttle, then what time has brought up to the capacity", () => {
    const start = Cubic.make(sdk, 0)
    expect(Cubic.level(start, sdk, 0)).toBe(Infinity)
    const throttled = Cubic.recorded(start, sdk, 100, true)
    expect([100, 1100, 2100, 9000].map((now) => Cubic.level(throttled, sdk, now))).toEqual([0, 0.5, 1, 1])
  })
})

describe("Cubic.millisUntil", () => {
  it("is nothing without a limit, and also at a time before the clock was first read", () => {
    const start = Cubic.make(sdk, 5000)
    expect([5000, 4000, 9000].map((now) => Cubic.millisUntil(start, sdk, now, 1))).toEqual([0, 0, 0])
  })
})

type Step =
  | { readonly _tag: "Take"; readonly millis: number }
  | { readonly _tag: "Hear"; readonly millis: number; readonly throttled: boolean }
  | { readonly _tag: "Refund"; readonly millis: number }

const step: fc.Arbitrary<Step> = fc.record({
  _tag: fc.constantFrom("Take" as const, "Hear" as const, "Refund" as const),
  // Steps back too.
  millis: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: -5000, max: 60_000 })),
  throttled: fc.boolean()
})

describe("Cubic laws", () => {
  it("never holds fewer than zero tokens nor more than the capacity, and never goes below the least rate", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(0, 100), (steps, cutAtMostEveryMillis) => {
        const settings = { ...sdk, cutAtMostEveryMillis, idleAfterMillis: 3000, offAfterMillis: 20_000 }
        let state = Cubic.make(settings, 0)
        const states: Array<Cubic.Cubic> = []
        let now = 0
        for (const action of steps) {
          now += action.millis
          if (action._tag === "Hear") state = Cubic.recorded(state, settings, now, action.throttled)
          else if (action._tag === "Refund") state = Cubic.refunded(state, now, 1)
          else
            state = Option.match(Cubic.taken(state, settings, now, 1), {
              onNone: () => state,
              onSome: ([, after]) => after
            })
          states.push(state)
        }
        const holds = ({ capacity, fillRate, measuredRate, tokens: { level } }: Cubic.Cubic) =>
          level >= 0 && level <= capacity && fillRate >= settings.minFillRate && measuredRate >= 0
        expect(states.filter((state) => !holds(state))).toEqual([])
      }),
      law(1000).fastCheck
    )
  })

  it("grants no more in any window than it held and what came in at the highest rate of the window", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
        let state: Cubic.Cubic = { ...cutAt5, measurementBucket: 10 }
        let now = 5000
        let allowed = state.tokens.level
        let granted = 0
        const tooMany: Array<string> = []
        for (const action of steps) {
          // Only time that passes forward counts; steps back make none.
          allowed += (Math.max(0, action.millis) / 1000) * state.fillRate
          now += action.millis
          if (action._tag === "Hear") state = Cubic.recorded(state, sdk, now, action.throttled)
          if (action._tag !== "Take") continue
          const taken = Cubic.taken(state, sdk, now, 1)
          if (Option.isSome(taken)) {
            state = taken.value[1]
            granted += 1
          }
          if (!(granted <= allowed + 1e-3)) tooMany.push(`${granted} of ${allowed}`)
        }
        expect(tooMany).toEqual([])
      }),
      law(1000).fastCheck
    )
  })
})
