import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Calendar from "@effect-retry/core/unstable/Calendar"

const at = (
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
  aheadMinutes?: number
): Calendar.Parts => ({ year, month, day, hour, minute, second, aheadMinutes })

describe("Calendar.instant", () => {
  it("counts the milliseconds since the epoch", () => {
    const rows: ReadonlyArray<readonly [Calendar.Parts, number]> = [
      [at(1970, 1, 1), 0],
      [at(1969, 12, 31, 23, 59, 59), -1_000],
      [at(1970, 3, 1), 59 * 86_400_000],
      [at(1994, 11, 6, 8, 49, 37), 784_111_777_000],
      [at(2000, 2, 29), 951_782_400_000],
      [at(2024, 2, 29, 12), 1_709_208_000_000],
      [at(2026, 11, 20), 1_795_132_800_000],
      [at(9999, 12, 31, 23, 59, 59), 253_402_300_799_000],
      [at(0, 1, 1), -62_167_219_200_000],
      [at(2016, 12, 31, 23, 59, 60), 1_483_228_800_000],
      [at(1990, 12, 31, 15, 59, 60, -480), 662_688_000_000],
      [at(1985, 4, 12, 23, 20, 50, 0), 482_196_050_000],
      [at(1996, 12, 19, 16, 39, 57, -480), 851_042_397_000]
    ]
    expect(rows.map(([parts]) => [parts, Calendar.instant(parts)])).toEqual(rows)
  })

  it("refuses a date or a time of day out of range", () => {
    const refused = [
      at(2026, 0, 1),
      at(2026, 13, 1),
      at(2026, 1, 0),
      at(2026, 1, 32),
      at(2026, 4, 31),
      at(2026, 2, 29),
      at(2100, 2, 29),
      at(1900, 2, 29),
      at(2024, 2, 30),
      at(-1, 1, 1),
      at(10_000, 1, 1),
      at(2026, 1, 1, 24),
      at(2026, 1, 1, 0, 60),
      at(2026, 1, 1, 0, 0, 60),
      at(2026, 1, 1, 23, 59, 61),
      at(2026, 1, 1, 23, 59, 60, 60),
      at(2026, 1, 1, 0, 0, -1),
      at(2026, 1, 1.5),
      at(NaN, 1, 1),
      at(2026, NaN, 1),
      at(2026, 1, Infinity)
    ]
    expect(refused.map(Calendar.instant)).toEqual(refused.map(() => undefined))
  })

  it("agrees with the calendar of the platform on every day", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }),
        (date) => {
          const parts = at(
            date.getUTCFullYear(),
            date.getUTCMonth() + 1,
            date.getUTCDate(),
            date.getUTCHours(),
            date.getUTCMinutes(),
            date.getUTCSeconds()
          )
          expect(Calendar.instant(parts)).toBe(Math.floor(date.getTime() / 1000) * 1000)
        }
      ),
      { seed: 4, numRuns: 2_000 }
    )
  })
})
