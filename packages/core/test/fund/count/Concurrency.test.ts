import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Concurrency from "../../../src/fund/count/Concurrency.ts"
import { law } from "../../support/Laws.ts"

const settings: Concurrency.Settings = { least: 1, most: 1_000, samples: 1, slowMillis: 5_000, rule: "gradient" }

const sample = (ranMillis: number, inFlight: number, isDropped = false): Concurrency.Sample => ({
  ranMillis,
  inFlight,
  isDropped
})

/** The limits after each window, of attempts that are all alike. */
const limits = (
  initial: number,
  own: Partial<Concurrency.Settings>,
  windows: ReadonlyArray<readonly [ranMillis: number, inFlight: number, isDropped?: boolean]>
): ReadonlyArray<number> => {
  let concurrency = Concurrency.make(initial)
  return windows.map(([ranMillis, inFlight, isDropped]) => {
    concurrency = Concurrency.noted(concurrency, { ...settings, ...own }, sample(ranMillis, inFlight, isDropped))
    return concurrency.limit
  })
}

interface Model {
  readonly limit: number
  readonly baseline: number | undefined
  /** Steps in a row that have left the limit low and the latency high. */
  readonly low: number
  readonly window: ReadonlyArray<Concurrency.Sample>
}

/** The next state, in the words of the documentation of `RateLimiter.adaptiveConcurrency`. */
const modelled = (model: Model, own: Concurrency.Settings, ended: Concurrency.Sample): Model => {
  const { limit } = model
  const allowed = (value: number): number => Math.min(own.most, Math.max(own.least, value))
  if (own.rule === "aimd") {
    if (ended.isDropped || ended.ranMillis > own.slowMillis)
      return { ...model, limit: allowed(Math.floor(0.9 * limit)) }
    return ended.inFlight / limit >= 0.5 ? { ...model, limit: allowed(limit + 1) } : model
  }
  const window = [...model.window, ended]
  if (window.length < own.samples) return { ...model, window }
  const latencies = window.map(({ ranMillis }) => ranMillis).toSorted((one, other) => one - other)
  const latency = latencies[Math.ceil(latencies.length / 2) - 1]!
  const used = Math.max(...window.map(({ inFlight }) => inFlight))
  const before = model.baseline || latency
  const rise = used >= limit ? 0 : 0.05 * (latency - before)
  const baseline = latency <= before ? latency : before + rise
  const g = latency === 0 ? 2 : Math.min(2, Math.max(0.5, (baseline * 1.25) / latency))
  const atMost = Math.min(
    window.some(({ isDropped }) => isDropped) ? Math.floor(0.9 * limit) : Infinity,
    used / limit < 0.5 ? limit : Infinity
  )
  const next = allowed(Math.min(atMost, Math.floor(g * limit + Math.sqrt(g * limit))))
  const isLow = next === limit && (limit <= 5 || limit === own.least) && latency > baseline * 1.25
  if (!isLow) return { limit: next, baseline, low: 0, window: [] }
  return model.low === 4
    ? { limit: next, baseline: latency, low: 0, window: [] }
    : { limit: next, baseline, low: model.low + 1, window: [] }
}

describe("Concurrency.noted by the gradient", () => {
  // From the formula of Envoy's gradient controller, with a least latency of 10 ms.
  it.each([
    { from: 10, latencies: [10, 10, 12.5, 20, 50, 50, 12.5, 10], expected: [16, 24, 28, 21, 13, 9, 12, 18] },
    { from: 3, latencies: [12.5, 12.5, 12.5, 12.5], expected: [4, 6, 8, 10] },
    { from: 10, latencies: [0, 100], expected: [24, 15] }
  ])("equals Envoy's from $from", ({ expected, from, latencies }) => {
    let concurrency = Concurrency.make(from)
    const limitAfter = (latency: number) => {
      const least = { ...concurrency, baselineMillis: 10 }
      concurrency = Concurrency.noted(least, settings, sample(latency, settings.most))
      return concurrency.limit
    }
    expect(latencies.map(limitAfter)).toEqual(expected)
  })
})

describe("Concurrency.noted", () => {
  it("is Netflix's AIMD", () => {
    const windows = [
      [10, 20],
      [10, 20],
      [10, 5],
      [6000, 22],
      [10, 22, true],
      [10, 10]
    ] as const
    expect(limits(20, { rule: "aimd" }, windows)).toEqual([21, 22, 22, 19, 17, 18])
  })

  it.prop(
    "keeps the limit between its bounds, and does not raise it when less than half was used",
    [
      fc.constantFrom("gradient" as const, "aimd" as const),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 100 }), fc.boolean()), {
        minLength: 1,
        maxLength: 60
      })
    ],
    ([rule, windows]) => {
      let concurrency = Concurrency.make(20)
      for (const [ran, inFlight, isDropped] of windows) {
        const before = concurrency.limit
        concurrency = Concurrency.noted(
          concurrency,
          { ...settings, rule, least: 2, most: 60 },
          sample(ran, inFlight, isDropped)
        )
        expect(concurrency.limit >= 2 && concurrency.limit <= 60).toBe(true)
        expect(Number.isInteger(concurrency.limit)).toBe(true)
        if (inFlight * 2 < before) expect(concurrency.limit).toBeLessThanOrEqual(before)
      }
    },
    law()
  )

  it.prop(
    "is the rule as the documentation of the limiter states it",
    [
      fc.record({
        rule: fc.constantFrom("gradient" as const, "aimd" as const),
        least: fc.constantFrom(1, 3, 8),
        most: fc.constantFrom(8, 60),
        samples: fc.integer({ min: 1, max: 4 }),
        slowMillis: fc.constant(20)
      }),
      fc.constantFrom(8, 3, 5, 20),
      fc.array(
        fc.record({
          times: fc.constantFrom(1, 2, 24),
          latencies: fc.array(fc.constantFrom(0, 4, 10, 12.5, 13, 20, 80), { minLength: 1, maxLength: 4 }),
          share: fc.constantFrom(0.25, 0.5, 1, 2),
          isDropped: fc.boolean()
        }),
        { minLength: 1, maxLength: 12 }
      )
    ],
    ([own, start, phases]) => {
      const initial = Math.max(own.least, Math.min(own.most, start))
      let concurrency = Concurrency.make(initial)
      let model: Model = { limit: initial, baseline: undefined, low: 0, window: [] }
      for (const { isDropped, latencies, share, times } of phases) {
        for (let i = 0; i < times; i += 1) {
          const ended = sample(
            latencies[i % latencies.length]!,
            Math.max(1, Math.floor(model.limit * share)),
            isDropped && i === 0
          )
          model = modelled(model, own, ended)
          concurrency = Concurrency.noted(concurrency, own, ended)
          expect(concurrency).toMatchObject({ limit: model.limit, baselineMillis: model.baseline ?? 0 })
        }
      }
    },
    law()
  )

  it("keeps the same value if an attempt changes no limit, by AIMD", () => {
    const concurrency = Concurrency.make(20)
    expect(Concurrency.noted(concurrency, { ...settings, rule: "aimd" }, sample(10, 9))).toBe(concurrency)
  })

  /** A server that answers so many at once in 10 ms, and has the others wait their turn. Always as much is asked as is allowed. */
  const served = (capacity: number, windows: number, own: Partial<Concurrency.Settings> = {}, initial = 20) => {
    let concurrency = Concurrency.make(initial)
    const seen: Array<number> = []
    for (let i = 0; i < windows; i++) {
      const { limit } = concurrency
      const ran = 10 * Math.max(1, limit / capacity)
      concurrency = Concurrency.noted(concurrency, { ...settings, least: 3, ...own }, sample(ran, limit))
      seen.push(concurrency.limit)
    }
    return seen
  }

  it.each([5, 10, 20, 100, 400])("settles within twice what a server takes at once: %s", (capacity) => {
    const seen = served(capacity, 1_000, {}, Math.min(20, capacity))
    expect(Math.max(...seen.slice(-900))).toBeLessThanOrEqual(2 * capacity)
    expect(Math.min(...seen.slice(-900))).toBeGreaterThanOrEqual(capacity * 0.8)
  })

  it("does not forget the normal latency in a thousand windows of overload", () => {
    let concurrency = Concurrency.make(20)
    const own = { ...settings, least: 3 }
    for (let i = 0; i < 10; i++) concurrency = Concurrency.noted(concurrency, own, sample(10, 5))
    const seen: Array<number> = []
    for (let i = 0; i < 1_000; i++) {
      const { limit } = concurrency
      concurrency = Concurrency.noted(concurrency, own, sample(10 * Math.max(1, limit / 10), limit))
      seen.push(concurrency.limit)
    }
    expect(Math.max(...seen.slice(20))).toBeLessThanOrEqual(20)
  })

  it("grows to the greatest limit if the latency does not depend on it", () => {
    expect(
      limits(
        20,
        { most: 200 },
        Array.from({ length: 40 }, (_, i) => [10, 20 * 2 ** i])
      ).at(-1)
    ).toBe(200)
  })

  it("takes a latency for normal if no limit lowers it", () => {
    const windows = [
      ...Array.from({ length: 5 }, () => [10, 20] as const),
      ...Array.from({ length: 60 }, () => [80, 1_000] as const)
    ]
    const seen = limits(20, { least: 3, most: 100 }, windows)
    expect(Math.min(...seen)).toBe(3)
    expect(seen.at(-1)).toBe(100)
  })

  it("falls by at least a tenth when an attempt was throttled", () => {
    expect(limits(100, {}, [[10, 100, true]])).toEqual([90])
  })
})
