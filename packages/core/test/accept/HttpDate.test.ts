import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"

/** Sat, 01 Jan 2000 00:00:00 GMT */
const year2000 = 946_684_800_000
/** Fri, 20 Nov 2026 00:00:00 GMT */
const today = 1_795_132_800_000
const day = 86_400_000

describe("HttpDate.parse", () => {
  it("reads the three forms", () => {
    const rows: ReadonlyArray<readonly [value: string, at: number]> = [
      // Source: RFC 9110, section 5.6.7, read 2026-11-20, one instant three times.
      ["Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000],
      ["Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777_000],
      ["Sun Nov  6 08:49:37 1994", 784_111_777_000],
      ["Sun Nov 06 08:49:37 1994", 784_111_777_000],
      // Source: RFC 9110, sections 10.2.3, 6.6.1 and 8.8.2, read 2026-11-20.
      ["Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799_000],
      ["Tue, 15 Nov 1994 08:12:31 GMT", 784_887_151_000],
      ["Tue, 15 Nov 1994 12:45:26 GMT", 784_903_526_000],
      ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
      ["Wed, 31 Dec 1969 23:59:59 GMT", -1_000],
      ["Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400_000],
      ["Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000_000],
      // A leap second, the last of the grammar, is the instant of the second after it.
      ["Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800_000],
      ["Saturday, 31-Dec-16 23:59:60 GMT", 1_483_228_800_000],
      ["Sat Dec 31 23:59:60 2016", 1_483_228_800_000],
      ["Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799_000],
      ["Fri Nov 20 00:00:00 2026", today],
      ["Friday, 20-Nov-26 00:00:00 GMT", today]
    ]
    expect(rows.map(([value]) => [value, HttpDate.parse(value, today)])).toEqual(rows)
  })

  it("does not compare the weekday with the date", () => {
    const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    expect(names.map((name) => HttpDate.parse(`${name}, 20 Nov 2026 00:00:00 GMT`, NaN))).toEqual(
      names.map(() => today)
    )
  })

  it("knows every month", () => {
    const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    expect(
      months.map((month) => (HttpDate.parse(`Mon, 01 ${month} 2001 00:00:00 GMT`, NaN) ?? NaN) / day - 11_323)
    ).toEqual([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])
  })

  it("refuses everything else", () => {
    const refused = [
      "",
      " ",
      "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000",
      "Sun, 06 Nov 1994 08:49:37 gmt",
      "sun, 06 nov 1994 08:49:37 GMT",
      "SUN, 06 NOV 1994 08:49:37 GMT",
      "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun,  6 Nov 1994 08:49:37 GMT",
      "Sun 06 Nov 1994 08:49:37 GMT",
      "06 Nov 1994 08:49:37 GMT",
      "Sun, 06  Nov 1994 08:49:37 GMT",
      " Sun, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT ",
      "Sun, 06 Nov 1994 08:49:37 GMT\n",
      "Sun, 06 Nov 1994 08:49:37 GMT\0",
      "Sun, 06 Nov 1994 08:49:37.5 GMT",
      "Sun, 06 Nov 1994 8:49:37 GMT",
      "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT",
      "Sun, 06 Nov 19940 08:49:37 GMT",
      "Sun, 06-Nov-1994 08:49:37 GMT",
      "Sun, 06-Nov-94 08:49:37 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT",
      "Sunday, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 6-Nov-94 08:49:37 GMT",
      "Sunday Nov  6 08:49:37 1994",
      "Sun Nov 6 08:49:37 1994",
      "Sun Nov  6 08:49:37 1994 GMT",
      "Sun Nov  6 08:49:37 94",
      "Sun, Nov  6 08:49:37 1994",
      "Foo, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT",
      "Son, 06 Nov 1994 08:49:37 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 31 Nov 1994 08:49:37 GMT",
      "Sun, 32 Dec 1994 08:49:37 GMT",
      "Sun Nov  0 08:49:37 1994",
      "Tue, 29 Feb 2026 00:00:00 GMT",
      "Mon, 29 Feb 2100 00:00:00 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49:60 GMT",
      "Sun, 06 Nov 1994 23:59:61 GMT",
      "Sun, 06 Nov -994 08:49:37 GMT",
      "Sun, ٠٦ Nov ١٩٩٤ 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
      "1994-11-06T08:49:37Z",
      "784111777",
      "Invalid Date GMT",
      "Sun, ".repeat(200_000),
      "0".repeat(1_000_000)
    ]
    expect(refused.filter((value) => HttpDate.parse(value, today) !== undefined)).toEqual([])
  })

  it("reads a two-digit year as the latest one within the coming half century", () => {
    const rows: ReadonlyArray<readonly [value: string, now: number, at: number | undefined]> = [
      ["Thursday, 01-Jan-70 00:00:00 GMT", 0, 0],
      ["Wednesday, 31-Dec-69 00:00:00 GMT", 0, -day],
      ["Saturday, 01-Jan-00 00:00:00 GMT", today, year2000],
      ["Sunday, 06-Nov-94 08:49:37 GMT", year2000, 784_111_777_000],
      ["Sunday, 06-Nov-94 08:49:37 GMT", today, 784_111_777_000],
      // 2076 is half a century on: up to the day it is the year, and then it is 1976.
      ["Wednesday, 01-Jan-76 00:00:00 GMT", today, 3_345_062_400_000],
      ["Thursday, 19-Nov-76 00:00:00 GMT", today, 3_372_969_600_000],
      ["Sunday, 22-Nov-76 00:00:00 GMT", today, 217_468_800_000],
      ["Saturday, 01-Jan-77 00:00:00 GMT", today, 220_924_800_000],
      // Fifty mean years ahead to the millisecond, and one more.
      ["Wednesday, 01-Jan-76 00:00:00 GMT", 1_767_214_800_000, 3_345_062_400_000],
      ["Thursday, 01-Jan-76 00:00:00 GMT", 1_767_214_799_999, 189_302_400_000],
      // At the turn of a century both ways.
      ["Friday, 01-Jan-01 00:00:00 GMT", 4_070_908_800_000, 4_133_980_800_000],
      ["Friday, 31-Dec-99 00:00:00 GMT", year2000, 946_598_400_000],
      ["Tuesday, 29-Feb-00 00:00:00 GMT", 4_070_908_800_000, 951_782_400_000],
      ["Wednesday, 29-Feb-23 00:00:00 GMT", today, undefined],
      ["Friday, 32-Nov-26 00:00:00 GMT", today, undefined]
    ]
    expect(rows.map(([value, now]) => [value, now, HttpDate.parse(value, now)])).toEqual(rows)
  })

  it("reads no two-digit year when the time is not known", () => {
    const clocks = [NaN, Infinity, -Infinity, 1e300, -1e300, 8.64e15 + 2]
    expect(clocks.map((now) => HttpDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now))).toEqual(
      clocks.map(() => undefined)
    )
    expect(clocks.map((now) => HttpDate.parse("Sun, 06 Nov 1994 08:49:37 GMT", now))).toEqual(
      clocks.map(() => 784_111_777_000)
    )
  })

  it("reads back every date that the platform writes", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }),
        (date) => {
          expect(HttpDate.parse(date.toUTCString(), NaN)).toBe(Math.floor(date.getTime() / 1000) * 1000)
        }
      ),
      { seed: 9110, numRuns: 2_000 }
    )
  })
})
