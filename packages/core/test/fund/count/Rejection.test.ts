import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Rejection from "../../../src/fund/count/Rejection.ts"
import { law } from "../../support/Laws.ts"

describe("Rejection.chance", () => {
  // Source: https://sre.google/sre-book/handling-overload/, equation of "Client-Side Throttling", read 2026-11-20.
  it.each([
    { requests: 0, accepts: 0, K: 2, chance: 0 },
    { requests: 100, accepts: 100, K: 2, chance: 0 },
    { requests: 100, accepts: 50, K: 2, chance: 0 },
    { requests: 100, accepts: 49, K: 2, chance: 2 / 101 },
    { requests: 100, accepts: 0, K: 2, chance: 100 / 101 },
    { requests: 100, accepts: 50, K: 1.1, chance: 45 / 101 },
    { requests: 99, accepts: 0, K: 1, chance: 0.99 },
    { requests: 1, accepts: 0, K: 2, chance: 0.5 }
  ])("is $chance after $accepts of $requests accepted, with K of $K", ({ K, accepts, chance, requests }) => {
    expect(Rejection.chance(requests, accepts, K)).toBeCloseTo(chance, 12)
  })
})

describe("Rejection.chanceOfLevel", () => {
  // From its formula. No levels below, all below, and none of its own.
  it.each([
    { chance: 0.25, counts: [8, 0, 0], level: 0, expected: 0.25 },
    { chance: 0.25, counts: [0, 8, 0], level: 1, expected: 0.25 },
    { chance: 0.25, counts: [0, 8, 0], level: 0, expected: 1 },
    { chance: 0.25, counts: [8, 0, 0], level: 1, expected: 0 },
    { chance: 0.25, counts: [2, 0, 6], level: 1, expected: 0 },
    { chance: 0.25, counts: [1, 0, 7], level: 1, expected: 1 },
    { chance: 0.5, counts: [2, 4, 2], level: 1, expected: 0.5 },
    { chance: 0, counts: [0, 8, 0], level: 0, expected: 0 },
    { chance: 0.25, counts: [2, 6], level: 2, expected: 0 }
  ])("is $expected for level $level of $counts, with $chance for all", ({ chance, counts, expected, level }) => {
    expect(Rejection.chanceOfLevel(chance, counts, level)).toBe(expected)
  })

  it.prop(
    "never refuses a higher level rather than a lower one, and refuses as many in all",
    [fc.double({ min: 0, max: 0.999, noNaN: true }), fc.tuple(fc.nat(1_000), fc.nat(1_000), fc.nat(1_000))],
    ([chance, counts]) => {
      const chances = counts.map((_, level) => Rejection.chanceOfLevel(chance, counts, level))
      expect(chances[0]!).toBeGreaterThanOrEqual(chances[1]! - 1e-9)
      expect(chances[1]!).toBeGreaterThanOrEqual(chances[2]! - 1e-9)
      const requests = counts.reduce((sum, count) => sum + count, 0)
      const refused = chances.reduce((sum, chance, level) => sum + chance * counts[level]!, 0)
      expect(refused).toBeCloseTo(chance * requests, 6)
    },
    law()
  )
})
