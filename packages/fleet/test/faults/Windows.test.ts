import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Windows from "./Windows.ts"

const bound: Windows.Bound = { burst: 100, perSecond: 100, delayMillis: 0, processes: 2, lease: 0 }

const at = (atMillis: number, tokens: number): Windows.Stamp => ({ atMillis, tokens })

/** A token each time, so many and so far apart. */
const every = (count: number, millis: number, fromMillis = 0) =>
  Array.from({ length: count }, (_, index) => at(fromMillis + index * millis, 1))

describe("Windows.violation", () => {
  it.each([
    ["no grant", [], bound],
    ["the burst at once", every(100, 0), bound],
    ["the burst and then the rate", [...every(100, 0), ...every(1000, 10, 10)], bound],
    ["the burst again when it has come in", [at(0, 100), at(1000, 100)], bound],
    ["what leases add", [at(0, 120)], { ...bound, lease: 10 }],
    ["what comes late", [at(0, 100), at(49, 54)], { ...bound, delayMillis: 500 }],
    ["what a fault adds", [at(0, 100), at(0, 100)], { ...bound, more: 100 }]
  ])("finds nothing if there is %s", (_, stamps, bound) => {
    expect(Windows.violation(stamps, bound)).toBeUndefined()
  })

  it.each([
    ["a token too many", every(101, 0), bound, { fromMillis: 0, toMillis: 0, tokens: 101 }],
    [
      "two bursts in 49 milliseconds",
      [...every(80, 100), at(9000, 79), at(9049, 100)],
      bound,
      { fromMillis: 9000, toMillis: 9049, tokens: 179 }
    ],
    [
      "a burst that comes in no order",
      [at(2049, 100), at(0, 1), at(2000, 10)],
      bound,
      { fromMillis: 2000, toMillis: 2049, tokens: 110 }
    ],
    ["more than leases add", [at(0, 121)], { ...bound, lease: 10 }, { fromMillis: 0, toMillis: 0, tokens: 121 }],
    [
      "a rate that is too high for long",
      every(1000, 8),
      { ...bound, perSecond: 110 },
      { fromMillis: 0, toMillis: 7992, tokens: 1000 }
    ]
  ])("is the worst window if there is %s", (_, stamps, bound, window) => {
    expect(Windows.violation(stamps, bound)).toMatchObject(window)
  })
})

describe("Windows.worst", () => {
  const stamps = FastCheck.array(
    FastCheck.record({
      atMillis: FastCheck.integer({ min: 0, max: 2000 }),
      tokens: FastCheck.integer({ min: 1, max: 20 })
    }),
    { maxLength: 30 }
  )

  it.prop("holds as much beyond the rate as any window that is looked at", [stamps], ([stamps]) => {
    const perSecond = 50
    const times = stamps.map(({ atMillis }) => atMillis)
    const all = times.flatMap((from) =>
      times.map((to) => {
        const inside = stamps.filter(({ atMillis }) => atMillis >= from && atMillis <= to)
        return inside.reduce((sum, { tokens }) => sum + tokens, 0) - (perSecond * Math.max(0, to - from)) / 1000
      })
    )
    expect(Windows.worst(stamps, perSecond)?.beyondRate ?? 0).toBeCloseTo(Math.max(0, ...all), 6)
  })
})
