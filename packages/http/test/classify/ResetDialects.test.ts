import { describe, expect, it } from "@effect/vitest"
import * as ResetDialects from "../../src/classify/ResetDialects.ts"

/** 2026-11-20T00:00:00Z */
const today = 1_795_132_800_000

describe("ResetDialects.isExhausted", () => {
  it("is true at zero alone", () => {
    expect(["0", "00", "0.0", "0.000"].filter((value) => !ResetDialects.isExhausted(value))).toEqual([])
    const left = [
      "1",
      "59",
      "0.5",
      "-1",
      "-0",
      "",
      " ",
      "0 ",
      "0,0",
      "0x0",
      "0e0",
      "0.",
      ".0",
      "none",
      "unlimited",
      "٠"
    ]
    expect(left.filter(ResetDialects.isExhausted)).toEqual([])
  })
})

describe("ResetDialects.byMagnitude", () => {
  it("tells seconds to wait, epoch seconds and epoch milliseconds by their magnitude", () => {
    const rows: ReadonlyArray<readonly [value: string, wait: number]> = [
      ["0", 0],
      ["1", 1_000],
      ["50", 50_000],
      ["0.5", 500],
      ["345.0", 345_000],
      ["36000", 36_000_000],
      ["2592000", 2_592_000_000],
      ["999999999", 999_999_999_000],
      ["1000000000", 0],
      // Source: https://developer.github.com/changes/2013-07-02-rate-limit-reset, read 2026-11-20.
      ["1372700873", 0],
      ["1795132799", 0],
      ["1795132800", 0],
      ["1795132860", 60_000],
      ["1795132860.25", 60_250],
      ["1795136400", 3_600_000],
      ["999999999999", 998_204_867_199_000],
      ["1000000000000", 0],
      ["1795132799999", 0],
      ["1795132860000", 60_000],
      ["1795132860000.5", 60_000.5],
      ["9".repeat(400), Infinity]
    ]
    expect(rows.map(([value]) => [value, ResetDialects.byMagnitude(value, today)])).toEqual(rows)
  })

  it("needs a clock for a value that is not a wait", () => {
    expect(ResetDialects.byMagnitude("999999999", NaN)).toBe(999_999_999_000)
    expect(ResetDialects.byMagnitude("1000000000", NaN)).toBe(undefined)
    expect(ResetDialects.byMagnitude("1795132860000", NaN)).toBe(undefined)
    expect(ResetDialects.byMagnitude("9".repeat(400), NaN)).toBe(undefined)
  })

  it("refuses everything else", () => {
    const refused = [
      "",
      "-1",
      "+5",
      " 5",
      "5 ",
      "5, 7",
      "1e9",
      "0x10",
      "Infinity",
      "NaN",
      "60s",
      "5.",
      ".5",
      "1.2.3",
      "٥",
      "5\0",
      "Tue Feb 16 2021 09:02:42 GMT+0100",
      "2018-03-13T00:00:00Z"
    ]
    expect(refused.map((value) => [value, ResetDialects.byMagnitude(value, today)])).toEqual(
      refused.map((value) => [value, undefined])
    )
  })
})

describe("ResetDialects.duration", () => {
  it("adds up the units", () => {
    const rows: ReadonlyArray<readonly [value: string, wait: number]> = [
      // Source: https://platform.openai.com/docs/guides/rate-limits, read 2026-11-20.
      ["1s", 1_000],
      ["6m0s", 360_000],
      ["3s", 3_000],
      ["20ms", 20],
      ["0s", 0],
      ["0ms", 0],
      ["8.64s", 8_640],
      ["7m12s", 432_000],
      ["1h2m3.5s", 3_723_500],
      ["23h59m42.5s", 86_382_500],
      ["2m59.56s", 179_560],
      ["1m0.25s", 60_250],
      ["1h", 3_600_000],
      ["5m", 300_000],
      ["1h30s", 3_630_000],
      ["1s500ms", 1_500],
      ["1h2m3s4ms", 3_723_004],
      ["0.5ms", 0.5],
      ["20.25ms", 20.25],
      ["12.125s", 12_125],
      ["720h0m0s", 2_592_000_000],
      ["00006m00s", 360_000],
      [`${"9".repeat(400)}h`, Infinity],
      [`${"9".repeat(400)}ms`, Infinity]
    ]
    expect(rows.map(([value]) => [value, ResetDialects.duration(value)])).toEqual(rows)
  })

  it("refuses everything else", () => {
    const refused = [
      "",
      "s",
      "ms",
      "h",
      "1",
      "20",
      "1.5",
      "-1s",
      "+1s",
      "1 s",
      " 1s",
      "1s ",
      "1S",
      "20MS",
      "1.5h",
      "1.5m",
      "1.s",
      ".5s",
      "1..5s",
      "1s1m",
      "1m1h",
      "1s2s",
      "1ms1s",
      "1m1m",
      "1d",
      "1us",
      "1µs",
      "1ns",
      "1e3s",
      "0x1s",
      "Infinitys",
      "NaNms",
      "1s, 2s",
      "1s\0",
      "1s\n",
      "١s",
      "PT6M",
      "6:00"
    ]
    expect(refused.map((value) => [value, ResetDialects.duration(value)])).toEqual(
      refused.map((value) => [value, undefined])
    )
  })
})

describe("ResetDialects.untilDateTime", () => {
  it("reads instants, and no wait from those in the past", () => {
    const rows: ReadonlyArray<readonly [value: string, wait: number]> = [
      ["2026-11-20T00:00:00Z", 0],
      ["2026-11-20T00:00:01Z", 1_000],
      ["2026-11-20T00:01:00Z", 60_000],
      ["2026-11-20t00:01:00z", 60_000],
      ["2026-11-20T00:00:00.250Z", 250],
      ["2026-11-20T00:00:00.5Z", 500],
      ["2026-11-20T00:00:00.123456Z", 123.456_054_687_5],
      ["2026-11-20T01:01:00+01:00", 60_000],
      ["2026-11-19T16:01:00-08:00", 60_000],
      ["2026-11-20T05:31:00+05:30", 60_000],
      ["2026-11-20T00:01:00-00:00", 60_000],
      ["2026-11-20T23:59:60Z", 86_400_000],
      ["2026-11-20T15:59:60-08:00", 86_400_000],
      ["2026-12-20T00:00:00Z", 2_592_000_000],
      ["2026-11-19T23:59:59Z", 0],
      // Source: RFC 3339, section 5.8, read 2026-11-20.
      ["1985-04-12T23:20:50.52Z", 0],
      ["1996-12-19T16:39:57-08:00", 0],
      ["1990-12-31T15:59:60-08:00", 0]
    ]
    expect(rows.map(([value]) => [value, ResetDialects.untilDateTime(value, today)])).toEqual(rows)
    expect(rows.map(([value]) => ResetDialects.untilDateTime(value, NaN))).toEqual(rows.map(() => undefined))
  })

  it("refuses everything else", () => {
    const refused = [
      "",
      "2026-11-20",
      "2026-11-20T00:00:00",
      "2026-11-20T00:00Z",
      "2026-11-20 00:00:00Z",
      "2026-11-20T00:00:00 Z",
      "2026-11-20T00:00:00+0100",
      "2026-11-20T00:00:00+01",
      "2026-11-20T00:00:00+24:00",
      "2026-11-20T00:00:00+01:60",
      "2026-11-20T00:00:00UTC",
      "2026-11-20T00:00:00.Z",
      "2026-11-20T00:00:00,5Z",
      "2026-11-20T24:00:00Z",
      "2026-11-20T00:60:00Z",
      "2026-11-20T00:00:60Z",
      "2026-11-31T00:00:00Z",
      "2026-02-29T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z",
      "2026-01-00T00:00:00Z",
      "26-11-20T00:00:00Z",
      "+002026-11-20T00:00:00Z",
      "-2026-11-20T00:00:00Z",
      "2026-1-2T00:00:00Z",
      " 2026-11-20T00:00:00Z",
      "2026-11-20T00:00:00Z ",
      "2026-11-20T00:00:00Z\n",
      "2026-11-20T00:00:00Z\0",
      "2026-11-20T00:00:00Z, 2026-11-20T00:00:00Z",
      "２０２６-11-20T00:00:00Z",
      "1795132860",
      "60",
      "Fri, 20 Nov 2026 00:01:00 GMT"
    ]
    expect(refused.map((value) => [value, ResetDialects.untilDateTime(value, today)])).toEqual(
      refused.map((value) => [value, undefined])
    )
  })
})
