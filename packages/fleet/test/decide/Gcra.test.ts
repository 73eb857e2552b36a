import { InvalidArgument } from "@effect-retry/core"
import * as Arrival from "./Arrival.ts"
import * as Gcra from "../../src/decide/Gcra.ts"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"

/** 2026-11-22T00:00:00Z in microseconds: the size that arrival times have. */
const now = 1_795_305_600_000_000

describe("Gcra.check", () => {
  it.each<[string, Gcra.Limits]>([
    ["a token per microsecond", { burst: 1, perSecond: 1_000_000 }],
    ["a token in 142 years", { burst: 1, perSecond: 1_000_000 / 2 ** 52 }],
    ["fractions", { burst: 0.5, perSecond: 0.3 }]
  ])("takes %s", (_, limits) => {
    expect(Gcra.check("M.f", limits)).toEqual(limits)
  })

  it.each<[string, Gcra.Limits, string]>([
    ["no refill", { burst: 1, perSecond: 0 }, "M.f: perSecond must be > 0 and <= 1000000, got 0"],
    ["no rate", { burst: 1, perSecond: NaN }, "M.f: perSecond must be > 0 and <= 1000000, got NaN"],
    [
      "more than a token per microsecond",
      { burst: 1, perSecond: 1_000_001 },
      "M.f: perSecond must be > 0 and <= 1000000, got 1000001"
    ],
    ["an empty bucket", { burst: 0, perSecond: 1 }, "M.f: burst must be > 0 and <= 4503599627.370496, got 0"],
    [
      "what fills for longer than doubles count",
      { burst: 4_503_599_628, perSecond: 1 },
      "M.f: burst must be > 0 and <= 4503599627.370496, got 4503599628"
    ]
  ])("refuses %s", (_, limits, message) => {
    expect(() => Gcra.check("M.f", limits)).toThrow(InvalidArgument.InvalidArgument)
    expect(() => Gcra.check("M.f", limits)).toThrow(message)
  })
})

describe("Gcra.check with names", () => {
  const names = { burst: "capacity", perSecond: "refillPerSecond" }

  it("names the options of the caller", () => {
    const check = (burst: number, perSecond: number) => () => Gcra.check("M.f", { burst, perSecond }, names)
    expect(check(0, 1)).toThrow("M.f: capacity must be")
    expect(check(1, 0)).toThrow("M.f: refillPerSecond must be")
  })
})

describe("Gcra.window, Gcra.credit", () => {
  it.each<[perSecond: number, tokens: number, cost: number, credit: number]>([
    [10, 1, 100_000, 100_000],
    [10, 0.5, 50_000, 50_000],
    [0.3, 1, 3_333_334, 3_333_333],
    [0.3, 3, 10_000_000, 10_000_000],
    [3, 1, 333_334, 333_333],
    [300_000, 1, 4, 3],
    [1, 0, 0, 0]
  ])("round away from the tokens of the bucket: %d per second, %d tokens", (perSecond, tokens, cost, credit) => {
    expect([Gcra.window({ burst: tokens, perSecond }), Gcra.credit({ perSecond }, tokens)]).toEqual([cost, credit])
  })
})

describe("Arrival.taken", () => {
  const limits = { burst: 10, perSecond: 10 }
  const second = 1_000_000

  interface Row {
    readonly name: string
    /** Of the arrival time, from now. */
    readonly owed: number
    readonly want: number
    readonly least: number
    readonly answer: Gcra.Answer
    readonly owedAfter: number
  }

  it.each<Row>([
    {
      name: "a full bucket grants what is wanted",
      owed: -now,
      want: 3,
      least: 3,
      answer: { granted: 0.3 * second, retryAfter: 0, room: 0.7 * second },
      owedAfter: 0.3 * second
    },
    {
      name: "an arrival time that has passed is a full bucket",
      owed: -1,
      want: 10,
      least: 10,
      answer: { granted: second, retryAfter: 0, room: 0 },
      owedAfter: second
    },
    {
      name: "the last tokens are granted",
      owed: 0.7 * second,
      want: 3,
      least: 3,
      answer: { granted: 0.3 * second, retryAfter: 0, room: 0 },
      owedAfter: second
    },
    {
      name: "what is there is granted where it is the least",
      owed: 0.7 * second,
      want: 10,
      least: 3,
      answer: { granted: 0.3 * second, retryAfter: 0, room: 0 },
      owedAfter: second
    },
    {
      name: "a microsecond short of the least is refused, and keeps the arrival time",
      owed: 0.7 * second + 1,
      want: 3,
      least: 3,
      answer: { granted: 0, retryAfter: 1, room: 0.3 * second - 1 },
      owedAfter: 0.7 * second + 1
    },
    {
      name: "an empty bucket says when the least is there",
      owed: second,
      want: 10,
      least: 1,
      answer: { granted: 0, retryAfter: 0.1 * second, room: 0 },
      owedAfter: second
    },
    {
      name: "an arrival time up to two windows away is that of an empty bucket, and is kept",
      owed: 2 * second,
      want: 1,
      least: 1,
      answer: { granted: 0, retryAfter: 0.1 * second, room: 0 },
      owedAfter: 2 * second
    },
    {
      name: "an arrival time further away grants the least, and becomes that of an empty bucket",
      owed: 2 * second + 1,
      want: 3,
      least: 1,
      answer: { granted: 0.1 * second, retryAfter: 0, room: 0 },
      owedAfter: second
    },
    {
      name: "an arrival time further away refuses more than the burst, and is kept",
      owed: 86_400 * second,
      want: 11,
      least: 11,
      answer: { granted: 0, retryAfter: 1.1 * second, room: 0 },
      owedAfter: 86_400 * second
    },
    {
      name: "more than the burst is refused",
      owed: -now,
      want: 11,
      least: 11,
      answer: { granted: 0, retryAfter: 0.1 * second, room: second },
      owedAfter: -now
    },
    {
      name: "nothing is granted to a question for nothing",
      owed: second,
      want: 0,
      least: 0,
      answer: { granted: 0, retryAfter: 0, room: 0 },
      owedAfter: second
    }
  ])("$name", ({ answer, least, owed, owedAfter, want }) => {
    expect(Arrival.taken(now + owed, now, Gcra.question(limits, want, least))).toEqual({
      ...answer,
      arrival: now + owedAfter
    })
  })

  it("can take all of a burst that is not a whole number of microseconds", () => {
    const third = { burst: 5, perSecond: 0.3 }
    expect(Arrival.taken(0, now, Gcra.question(third, 5, 5)).granted).toBe(16_666_667)
  })

  const arbitrary = FastCheck.record({
    burst: FastCheck.double({ min: 0.1, max: 50, noNaN: true }),
    perSecond: FastCheck.double({ min: 0.1, max: 1000, noNaN: true }),
    steps: FastCheck.array(
      FastCheck.record({
        passed: FastCheck.integer({ min: 0, max: 2_000_000 }),
        want: FastCheck.double({ min: 0.01, max: 60, noNaN: true }),
        least: FastCheck.double({ min: 0, max: 1, noNaN: true }),
        back: FastCheck.double({ min: 0, max: 1, noNaN: true })
      }),
      { maxLength: 30 }
    )
  })

  it.prop(
    "grants at most burst + perSecond * (w + 0.000001) in any time, beside the tokens that are put in",
    [arbitrary],
    ([{ burst, perSecond, steps }]) => {
      const limits = Gcra.check("M.f", { burst, perSecond })
      const window = Gcra.window(limits)
      let arrival = 0
      let at = now
      // The most that the worst window which ends now has granted beyond the rate.
      let ahead = 0
      for (const { back, least, passed, want } of steps) {
        at += passed
        ahead = Math.max(0, ahead - (passed / 1e6) * perSecond)
        const answer = Arrival.taken(arrival, at, Gcra.question(limits, want, want * least))
        const taken = Option.getOrThrow(Gcra.fromAnswer(limits, want, want * least, answer))
        const returned = taken.granted * back
        arrival = Arrival.put(answer.arrival, at, window, Gcra.credit(limits, returned))
        ahead += taken.granted - returned
        expect(ahead).toBeLessThanOrEqual((burst + perSecond * 1e-6) * (1 + 1e-9))
        expect(arrival).toBeLessThanOrEqual(at + window)
      }
    }
  )

  it.prop(
    "grants the least when the time it named has passed, and not a microsecond before",
    [FastCheck.integer({ min: 0, max: 1_000_000 }), FastCheck.double({ min: 0.01, max: 10, noNaN: true })],
    ([owed, least]) => {
      const asked = Gcra.question(limits, least, least)
      const { retryAfter } = Arrival.taken(now + owed, now, asked)
      const after = (micros: number) => Arrival.taken(now + owed, now + micros, asked).granted
      expect(after(retryAfter)).toBe(asked.least)
      if (retryAfter > 0) expect(after(retryAfter - 1)).toBe(0)
    }
  )
})

describe("Arrival.put", () => {
  it.each<[string, owed: number, credit: number, owedAfter: number]>([
    ["moves the arrival time back", 500, 200, 300],
    ["never to before now", 500, 600, 0],
    ["not where the bucket is full", -500, 200, 0],
    ["from the arrival time of an empty bucket where the clock went back", 86_400_000_000, 200, 800]
  ])("%s", (_, owed, credit, owedAfter) => {
    expect(Arrival.put(now + owed, now, 1000, credit)).toBe(now + owedAfter)
  })
})

describe("Gcra.unfilled", () => {
  const limits = { burst: 10, perSecond: 10 }
  const window = Gcra.window(limits)

  it.each<[taken: number, ageMillis: number, left: number]>([
    [3, 0, 3],
    [3, 50, 2.5],
    [3, 300, 0],
    [3, Infinity, 0],
    [0, 50, 0]
  ])("is the part that time has not brought back: of %d tokens after %d ms, %d", (taken, ageMillis, left) => {
    expect(Gcra.unfilled(limits, taken, ageMillis)).toBe(left)
  })

  const question = FastCheck.record({
    tokens: FastCheck.integer({ min: 1, max: 10 }),
    afterMillis: FastCheck.integer({ min: 0, max: 1500 })
  })

  it.prop(
    "put back, gives a bucket no more room than it had without the question",
    [FastCheck.array(question, { maxLength: 6 }), question, FastCheck.array(question, { maxLength: 6 })],
    ([before, late, after]) => {
      let at = now
      // With the late question and without it: what is granted with it is granted without it too.
      let [arrival, without] = [now, now]
      const take = (tokens: number, isLate = false): number => {
        const asked = Gcra.question(limits, tokens, tokens)
        const answer = Arrival.taken(arrival, at, asked)
        if (answer.granted === 0) return 0
        arrival = answer.arrival
        if (!isLate) without = Arrival.taken(without, at, asked).arrival
        return tokens
      }
      for (const { afterMillis, tokens } of before) {
        at += 1000 * afterMillis
        take(tokens)
      }
      const lateAt = (at += 1000 * late.afterMillis)
      const granted = take(late.tokens, true)
      for (const { afterMillis, tokens } of after) {
        at += 1000 * afterMillis
        take(tokens)
      }
      const back = Gcra.unfilled(limits, granted, (at - lateAt) / 1000)
      arrival = Arrival.put(arrival, at, window, Gcra.credit(limits, back))
      expect(Arrival.room(arrival, at, window)).toBeLessThanOrEqual(Arrival.room(without, at, window))
    }
  )
})

describe("Arrival.room", () => {
  it.each<[string, owed: number, room: number]>([
    ["a full bucket", -500, 1000],
    ["what is owed", 300, 700],
    ["an empty bucket", 1000, 0],
    ["a clock that went back", 86_400_000_000, 0]
  ])("%s", (_, owed, room) => {
    expect(Arrival.room(now + owed, now, 1000)).toBe(room)
  })
})

describe("Gcra.fromAnswer", () => {
  const limits = { burst: 10, perSecond: 10 }
  const read = (granted: number, retryAfter: number, room: number, want = 3, least = 1) =>
    Gcra.fromAnswer(limits, want, least, { granted, retryAfter, room })

  it.each<[string, Option.Option<Gcra.Taken>, Gcra.Taken]>([
    ["what was wanted", read(300_000, 0, 700_000), { granted: 3, retryAfterMillis: 0, level: 7 }],
    ["a part of it", read(150_000, 0, 0), { granted: 1.5, retryAfterMillis: 0, level: 0 }],
    ["a refusal, its wait rounded up", read(0, 99_001, 999), { granted: 0, retryAfterMillis: 100, level: 0.00999 }],
    [
      "a refusal that time does not change",
      read(0, 100_000, 1_000_000, 11, 11),
      { granted: 0, retryAfterMillis: Infinity, level: 10 }
    ]
  ])("reads %s", (_, read, taken) => {
    expect(read).toEqual(Option.some(taken))
  })

  it("grants the least in full and never more than is wanted, however a division rounds", () => {
    for (const tokens of [0.1, 0.3, 0.7, 1, 1.1, 3, 9.7]) {
      for (const perSecond of [0.3, 0.7, 3, 7, 333_333]) {
        const asked = { burst: 10, perSecond }
        const granted = Gcra.question(asked, tokens, tokens).want
        const taken = Gcra.fromAnswer(asked, tokens, tokens, { granted, retryAfter: 0, room: 0 })
        expect(Option.map(taken, (taken) => taken.granted)).toEqual(Option.some(tokens))
      }
    }
  })

  it.each<[string, Option.Option<Gcra.Taken>]>([
    ["more than is wanted", read(300_001, 0, 0)],
    ["less than the least", read(99_999, 0, 0)],
    ["a grant with a wait", read(300_000, 1, 0)],
    ["a refusal without a wait", read(0, 0, 0)],
    ["a negative wait", read(0, -1, 0)],
    ["a wait for more than the least", read(0, 100_001, 0)],
    ["a negative grant", read(-100_000, 0, 0)],
    ["a negative room", read(300_000, 0, -1)],
    ["more room than there is", read(300_000, 0, 700_001)]
  ])("does not read %s", (_, read) => {
    expect(read).toEqual(Option.none())
  })
})

describe("Gcra.tokens", () => {
  it("is never above the burst, though the window is rounded up", () => {
    const third = { burst: 5, perSecond: 0.3 }
    expect(Gcra.tokens(third, Gcra.window(third))).toBe(5)
    expect(Gcra.tokens(third, 3_333_334)).toBeCloseTo(1, 6)
  })
})
