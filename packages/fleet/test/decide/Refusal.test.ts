import { describe, expect, it } from "@effect/vitest"
import * as Refusal from "../../src/decide/Refusal.ts"

/** Ten tokens per second: a token takes 100 ms, a quarter of the burst one second. */
const limits = { burst: 40, perSecond: 10 }

const shortage: Refusal.Shortage = {
  atMillis: 1000,
  level: 2,
  need: 5,
  refused: 5,
  retryAfterMillis: 300,
  refusals: 0,
  draw: 0
}

const until = (answer: Partial<Refusal.Shortage>, need: number, nowMillis = 1000) =>
  Refusal.millisFor(Refusal.make(limits, { ...shortage, ...answer }), limits, need, nowMillis)

describe("Refusal.millisFor", () => {
  it.each([
    { need: 5, millis: 300 },
    { need: 3, millis: 100 },
    { need: 2, millis: 0 },
    { need: 0, millis: 0 },
    { need: 6, millis: 400 }
  ])("is $millis ms for $need tokens, when 5 were refused and 2 were there", ({ millis, need }) => {
    expect(until({}, need)).toBeCloseTo(millis, 6)
  })

  it.each([
    { draw: 0, millis: 300 },
    { draw: 0.5, millis: 375 },
    { draw: 0.999, millis: 449.85 }
  ])("is longer by half of the draw of $draw", ({ draw, millis }) => {
    expect(until({ draw }, 5)).toBeCloseTo(millis, 6)
  })

  it.each([
    { refusals: 1, millis: 600 },
    { refusals: 2, millis: 1000 },
    { refusals: 20, millis: 1000 }
  ])("is $millis ms after $refusals refusals before it", ({ millis, refusals }) => {
    expect(until({ refusals }, 5)).toBeCloseTo(millis, 6)
  })

  it("is as long as the tokens take when that is more than a quarter of the burst", () => {
    expect(until({ level: 0, need: 35, retryAfterMillis: 3500, refusals: 5 }, 35)).toBe(3500)
  })

  it("is not doubled for more tokens than were refused", () => {
    expect([until({ refusals: 1 }, 6), until({ refusals: 1 }, 12)]).toEqual([600, 1000])
  })

  it("is as long as the store said if its rate says less", () => {
    expect(until({ retryAfterMillis: 700 }, 5)).toBe(700)
  })

  it.each([
    { refused: 5, level: 5 },
    { refused: 5, level: 4.9999999999 },
    { refused: 2, level: 2 }
  ])("is as long as the store said if it refused $refused tokens, and seems to have $level", ({ level, refused }) => {
    expect(until({ level, refused, retryAfterMillis: 1 }, refused)).toBeGreaterThanOrEqual(1)
  })

  it("is over for the tokens that are there when the store granted something", () => {
    expect(until({ level: 5, refused: 5, retryAfterMillis: 0 }, 5)).toBe(0)
  })

  it("passes, and is over for every number of tokens once it is over for those that were refused", () => {
    expect(until({}, 5, 1299)).toBeCloseTo(1, 6)
    expect([until({}, 5, 1300), until({}, 40, 1300)]).toEqual([0, 0])
  })
})

describe("Refusal.pause", () => {
  it.each([
    { burst: 70, dearest: 14, tokens: 14 },
    { burst: 40, dearest: 14, tokens: 10 },
    { burst: 2, dearest: 2, tokens: 1 },
    { burst: 2, dearest: 0.5, tokens: 0.5 }
  ])("is for $tokens tokens when the dearest attempt costs $dearest of $burst", ({ burst, dearest, tokens }) => {
    expect(Refusal.pause({ burst }, dearest)).toBe(tokens)
  })
})

describe("Refusal.afterGrant", () => {
  it.each([
    { refusals: 0, counted: 2 },
    { refusals: 3, counted: 3 }
  ])("counts $counted refusals for $refusals", ({ counted, refusals }) => {
    expect(Refusal.afterGrant(refusals)).toBe(counted)
  })
})

describe("Refusal.withLevel", () => {
  it("counts from the tokens that the store has since, until the refusal is over", () => {
    const self = Refusal.withLevel(Refusal.make(limits, shortage), 0, 1100)
    const millis = (need: number, nowMillis = 1100) => Refusal.millisFor(self, limits, need, nowMillis)
    expect([millis(1), millis(4), millis(5), millis(1, 1300)]).toEqual([100, 400, 500, 0])
  })

  it("ends a refusal for the tokens that are there", () => {
    const self = Refusal.withLevel(Refusal.make(limits, shortage), 5, 1000)
    expect(Refusal.millisFor(self, limits, 5, 1000)).toBe(0)
  })
})
