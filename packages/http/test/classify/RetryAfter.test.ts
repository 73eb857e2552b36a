import { describe, expect, it } from "@effect/vitest"
import * as RetryAfter from "../../src/classify/RetryAfter.ts"

/** Fri, 20 Nov 2026 00:00:00 GMT */
const today = 1_795_132_800_000

const hostile = [
  "",
  " ",
  "-1",
  "-0",
  "+5",
  "  5",
  "5 ",
  "5\n",
  "5\0",
  "\u00005",
  "5, 7",
  "5,5",
  "5;7",
  "5s",
  "1e3",
  "1e99",
  "1E3",
  "0x10",
  "0b1",
  "0o7",
  "1_000",
  "1,000",
  "5n",
  ".5",
  "5.",
  "5..5",
  "1.2.3",
  "Infinity",
  "-Infinity",
  "NaN",
  "null",
  "undefined",
  "true",
  "[5]",
  '"5"',
  "٥",
  "５",
  "५",
  "five",
  "one second",
  "not-a-number",
  "abc"
]

describe("RetryAfter.parse", () => {
  it("reads seconds, even with a fraction", () => {
    const rows: ReadonlyArray<readonly [value: string, wait: number]> = [
      ["0", 0],
      ["00", 0],
      ["1", 1_000],
      ["007", 7_000],
      ["120", 120_000],
      ["2.0", 2_000],
      ["1.5", 1_500],
      ["0.0", 0],
      ["0.25", 250],
      ["007.5", 7_500],
      [`${"9".repeat(400)}.5`, Infinity],
      [`0.${"0".repeat(400)}1`, 0],
      ["3600", 3_600_000],
      ["2592000", 2_592_000_000],
      ["9223372036854775807", 2 ** 63 * 1_000],
      ["9".repeat(305), 1e308],
      ["9".repeat(306), Infinity],
      ["9".repeat(400), Infinity],
      ["0".repeat(400), 0]
    ]
    for (const now of [today, NaN]) {
      expect(rows.map(([value]) => [value, RetryAfter.parse(value, now)])).toEqual(rows)
    }
  })

  it("reads dates, and no wait from those in the past", () => {
    const rows: ReadonlyArray<readonly [value: string, wait: number]> = [
      ["Fri, 20 Nov 2026 00:00:00 GMT", 0],
      ["Fri, 20 Nov 2026 00:00:01 GMT", 1_000],
      ["Friday, 20-Nov-26 00:02:00 GMT", 120_000],
      ["Fri Nov 20 01:00:00 2026", 3_600_000],
      ["Sun, 20 Dec 2026 00:00:00 GMT", 2_592_000_000],
      ["Thu, 19 Nov 2026 23:59:59 GMT", 0],
      ["Fri, 31 Dec 1999 23:59:59 GMT", 0],
      ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
      ["Fri, 31 Dec 9999 23:59:59 GMT", 251_607_167_999_000]
    ]
    expect(rows.map(([value]) => [value, RetryAfter.parse(value, today)])).toEqual(rows)
    expect(rows.map(([value]) => RetryAfter.parse(value, NaN))).toEqual(rows.map(() => undefined))
  })

  it("refuses everything else", () => {
    const refused = [...hostile, "2026-11-20T00:00:30Z", "Fri, 20 Nov 2026 00:00:30 GMT, 45"]
    expect(refused.map((value) => [value, RetryAfter.parse(value, today)])).toEqual(
      refused.map((value) => [value, undefined])
    )
  })
})

describe("RetryAfter.wholeMillis", () => {
  it("reads digits", () => {
    const rows: ReadonlyArray<readonly [value: string, wait: number]> = [
      ["0", 0],
      ["1", 1],
      ["50", 50],
      ["0050", 50],
      ["5000", 5_000],
      ["2147483648", 2_147_483_648],
      ["9".repeat(400), Infinity]
    ]
    expect(rows.map(([value]) => [value, RetryAfter.wholeMillis(value)])).toEqual(rows)
  })

  it("refuses everything else", () => {
    const refused = [...hostile, "1.5", "Fri, 20 Nov 2026 00:00:30 GMT"]
    expect(refused.map((value) => [value, RetryAfter.wholeMillis(value)])).toEqual(
      refused.map((value) => [value, undefined])
    )
  })
})

describe("RetryAfter.decimalMillis", () => {
  it("reads digits with or without a fraction", () => {
    const rows: ReadonlyArray<readonly [value: string, wait: number]> = [
      ["0", 0],
      ["0.0", 0],
      ["10", 10],
      ["787", 787],
      ["20.5", 20.5],
      ["00.25", 0.25],
      ["1234.567", 1_234.567],
      [`0.${"0".repeat(400)}1`, 0],
      [`${"9".repeat(400)}.5`, Infinity]
    ]
    expect(rows.map(([value]) => [value, RetryAfter.decimalMillis(value)])).toEqual(rows)
  })

  it("refuses everything else", () => {
    const refused = [...hostile, "Fri, 20 Nov 2026 00:00:30 GMT"]
    expect(refused.map((value) => [value, RetryAfter.decimalMillis(value)])).toEqual(
      refused.map((value) => [value, undefined])
    )
  })
})
