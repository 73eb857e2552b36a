import { describe, expect, it } from "@effect/vitest"
import * as Wait from "../../src/classify/Wait.ts"

describe("Wait.until", () => {
  it("is never negative, and unknown without a clock", () => {
    const rows: ReadonlyArray<readonly [at: number, now: number, wait: number | undefined]> = [
      [5_000, 2_000, 3_000],
      [5_000, 5_000, 0],
      [2_000, 5_000, 0],
      [-5_000, -7_500, 2_500],
      [Infinity, 0, Infinity],
      [5_000, NaN, undefined],
      [5_000, Infinity, undefined],
      [5_000, -Infinity, undefined],
      [5_000, -8.64e15, 8.64e15 + 5_000],
      [5_000, -8.64e15 - 2, undefined]
    ]
    expect(rows.map(([at, now]) => [at, now, Wait.until(at, now)])).toEqual(rows)
  })
})

describe("Wait.longest", () => {
  it("leaves out what is not known", () => {
    expect(Wait.longest([])).toBe(undefined)
    expect(Wait.longest([undefined, undefined])).toBe(undefined)
    expect(Wait.longest([undefined, 0])).toBe(0)
    expect(Wait.longest([0, undefined])).toBe(0)
    expect(Wait.longest([1, 3, undefined, 2])).toBe(3)
    expect(Wait.longest([1, Infinity, 2])).toBe(Infinity)
  })
})
