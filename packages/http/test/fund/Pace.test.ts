import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Pace from "../../src/fund/Pace.ts"

const settings: Pace.Settings = { atMostMillis: 3_600_000, spreadBelow: 0 }

/** An answer of a window of a second that began at 0, told in milliseconds. */
const answer = (remaining: number, nowMillis: number, isThrottle = false): Pace.Answer => ({
  limits: [{ name: "a", remaining, resetMillis: 1000 - nowMillis, unitMillis: 1, limit: 10, windowMillis: undefined }],
  isThrottle,
  hintMillis: 0
})

const sentAll = (from: Pace.Pace, nowMillis: number, count: number): Pace.Pace => {
  let pace = from
  for (let i = 0; i < count; i++) pace = Pace.sent(pace, settings, nowMillis)?.[1] ?? pace
  return pace
}

/** The first request is answered; then so many are under way. */
const known = (underWay: number): Pace.Pace =>
  sentAll(Pace.answered(sentAll(Pace.initial, 0, 1), settings, 0, 1, answer(9, 0)), 0, underWay)

const numbers = (pace: Pace.Pace): ReadonlyArray<number> => [...pace.open.keys()]

describe("Pace", () => {
  it("counts answers the same in any order", () => {
    const run = (order: ReadonlyArray<number>) => {
      let pace = known(5)
      // The server has seen them in the order of their numbers.
      for (const number of order) pace = Pace.answered(pace, settings, 50, number, answer(10 - number, 50))
      const { open, windows } = pace
      return { open, windows, level: Pace.level(pace, 50) }
    }
    const ordered = numbers(known(5))
    fc.assert(
      fc.property(fc.shuffledSubarray([...ordered], { minLength: 5 }), (order) => {
        expect(run(order)).toEqual(run(ordered))
        expect(run(order).level).toBe(4)
      }),
      { seed: 29, numRuns: 50 }
    )
  })

  it("remembers the limits that were told last, and not all that a server can name", () => {
    let pace = sentAll(Pace.initial, 0, 1)
    for (let i = 0; i < 1000; i++) {
      const [limit] = answer(5, 0).limits
      const limits = [
        { ...limit!, name: `limit ${i}` },
        { ...limit!, name: "again and again" }
      ]
      pace = Pace.answered(pace, settings, 0, 1, { limits, isThrottle: false, hintMillis: 0 })
    }
    expect(pace.windows.size).toBe(32)
    expect([...pace.windows.keys()].slice(-2)).toEqual(["limit 999", "again and again"])
  })

  it("a stale answer never raises what is left", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 9 })), { maxLength: 8 }),
        fc.integer({ min: 0, max: 9 }),
        (answers, latest) => {
          let pace = Pace.answered(known(6), settings, 50, 7, answer(latest, 50))
          for (const [older, remaining] of answers) {
            const before = pace.windows.get("a")?.least ?? 0
            pace = Pace.answered(pace, settings, 60, older + 2, answer(remaining, 60))
            expect(pace.windows.get("a")?.least).toBeLessThanOrEqual(before)
          }
        }
      ),
      { seed: 29, numRuns: 200 }
    )
  })

  it.each<readonly [left: number, count: number, millis: number]>([
    [9, 9, 0],
    [9, 10, 1000],
    [9, 19, 1000],
    [9, 20, 2000],
    [0, 1, 1000],
    [0, 10, 1000],
    [0, 11, 2000]
  ])("with %d left of 10, %d can be made after %d milliseconds", (left, count, millis) => {
    const pace = Pace.answered(sentAll(Pace.initial, 0, 1), settings, 0, 1, answer(left, 0))
    expect(Pace.millisUntil(pace, settings, 0, count)).toBe(millis)
  })

  it("grants a whole window when it has begun, and not before", () => {
    const empty = Pace.answered(sentAll(Pace.initial, 0, 1), settings, 0, 1, answer(0, 0))
    expect(Pace.sent(empty, settings, 999)).toBe(undefined)
    expect(Pace.level(empty, 1000)).toBe(10)
    expect(Pace.level(sentAll(empty, 1000, 20), 1000)).toBe(0)
  })

  it("expects requests that were not answered to count, until a later one is answered", () => {
    const lost = Pace.unanswered(known(3), 2)
    expect(Pace.level(lost, 50)).toBe(6)
    expect(Pace.level(Pace.answered(lost, settings, 50, 4, answer(7, 50)), 50)).toBe(6)
    expect(Pace.level(Pace.answered(lost, settings, 50, 4, answer(9, 50)), 50)).toBe(8)
  })

  it("counts a request in new windows for ten seconds, if it is not answered", () => {
    const hanging = known(9)
    expect([50, 1000, 9000, 9999].map((nowMillis) => Pace.level(hanging, nowMillis))).toEqual([0, 1, 1, 1])
    expect(Pace.level(hanging, 10_000)).toBe(10)
  })

  it("pauses for the hint of a throttle that no limit explains, and keeps the limit", () => {
    const answers = { ...answer(5, 0, true), hintMillis: 3000 }
    const pace = Pace.answered(known(1), settings, 0, 2, answers)
    expect(Pace.millisUntil(pace, settings, 0, 1)).toBe(3000)
    expect(pace.windows.get("a")?.limit).toBe(10)
    const explained = Pace.answered(known(1), settings, 0, 2, { ...answer(0, 0, true), hintMillis: 3000 })
    expect(Pace.millisUntil(explained, settings, 0, 1)).toBe(1000)
  })

  it.each<readonly [name: string, limit: Partial<Pace.Answer["limits"][number]>, millis: number]>([
    ["a reset of zero is the next moment", { remaining: 0, resetMillis: 0 }, 1],
    [
      "a reset of zero whole seconds is a second away at most",
      { remaining: 0, resetMillis: 0, unitMillis: 1000 },
      1000
    ],
    ["a limit of zero is asked once in a window", { remaining: 0, limit: 0 }, 1000],
    ["a reset in a year is cut", { remaining: 0, resetMillis: 3e10 }, 3_600_000]
  ])("%s", (_, changed, millis) => {
    const [limit] = answer(0, 0).limits
    const pace = Pace.answered(sentAll(Pace.initial, 0, 1), settings, 0, 1, {
      ...answer(0, 0),
      limits: limit === undefined ? [] : [{ ...limit, ...changed }]
    })
    expect(Pace.millisUntil(pace, settings, 0, 1)).toBe(millis)
  })

  it("waits no longer than atMost, and has a level, whatever a server tells in whatever order", () => {
    const millis = fc.constantFrom(0, 1, 999, 1000, 1e6, 1e18)
    const count = fc.constantFrom(0, 1, 3, 5, 1e15)
    const limits = fc.array(
      fc.record({
        name: fc.constantFrom("a", "b"),
        remaining: count,
        resetMillis: millis,
        unitMillis: fc.constantFrom(1, 1000),
        limit: fc.option(count, { nil: undefined }),
        windowMillis: fc.option(millis, { nil: undefined })
      }),
      { maxLength: 2 }
    )
    const told = fc.record({ limits, isThrottle: fc.boolean(), hintMillis: fc.constantFrom(0, 1000, Infinity) })
    const step = fc.oneof(
      fc.constant({ _tag: "ask" as const }),
      fc.constant({ _tag: "ask" as const }),
      fc.record({ _tag: fc.constant("answer" as const), number: fc.nat(12), told }),
      fc.record({ _tag: fc.constantFrom("lost" as const, "refund" as const), number: fc.nat(12) }),
      fc.record({ _tag: fc.constant("wait" as const), millis: fc.constantFrom(1, 50, 1000, 70_000, 1e9) })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 0.5, 1), (steps, spreadBelow) => {
        const bounded = { atMostMillis: 60_000, spreadBelow }
        let pace = Pace.initial
        let nowMillis = 0
        for (const step of steps) {
          if (step._tag === "wait") nowMillis += step.millis
          else if (step._tag === "ask") pace = Pace.sent(pace, bounded, nowMillis)?.[1] ?? pace
          else if (step._tag === "answer") pace = Pace.answered(pace, bounded, nowMillis, step.number, step.told)
          else pace = (step._tag === "lost" ? Pace.unanswered : Pace.refunded)(pace, step.number)
          const waits = Pace.millisUntil(pace, bounded, nowMillis, 1)
          expect(waits).toBeGreaterThanOrEqual(0)
          expect(waits).toBeLessThanOrEqual(60_000)
          expect(Pace.level(pace, nowMillis)).toBeGreaterThanOrEqual(0)
        }
        // No request waits for ever, not even for those that are never answered.
        expect(Pace.millisUntil(pace, bounded, nowMillis + 200_000, 1)).toBe(0)
      }),
      { seed: 29, numRuns: 300 }
    )
  })

  it("obeys the strictest of several limits", () => {
    const [limit] = answer(5, 0).limits
    const limits = limit === undefined ? [] : [limit, { ...limit, name: "b", remaining: 0, resetMillis: 60_000 }]
    const pace = Pace.answered(sentAll(Pace.initial, 0, 1), settings, 0, 1, { ...answer(5, 0), limits })
    expect(Pace.millisUntil(pace, settings, 0, 1)).toBe(60_000)
  })
})
