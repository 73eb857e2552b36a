import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as HttpDate from "../../src/classify/HttpDate.ts"

describe("HttpDate.parse", () => {
  it("reads the form that servers send", () => {
    // Source: RFC 9110, section 5.6.7.
    expect(HttpDate.parse("Sun, 06 Nov 1994 08:49:37 GMT")).toBe(784_111_777_000)
    expect(HttpDate.parse("Thu, 29 Feb 2024 23:59:59 GMT")).toBe(Date.UTC(2024, 1, 29, 23, 59, 59))
  })
  it("refuses every other date", () => {
    const refused = [
      "",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
      "Mon, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 24:00:00 GMT",
      "Fri, 30 Feb 2024 00:00:00 GMT",
      "Wed, 00 Nov 2026 00:00:00 GMT",
      "Fri, 20 Foo 2026 00:00:00 GMT",
      "Fri, 20 Nov 2026 00:60:00 GMT",
      "Fri, 20 Nov 2026 00:00:60 GMT",
      "Sun, 28 Nov 1920 00:00:00 GMT",
      "sun, 06 nov 1994 08:49:37 gmt",
      "Sun, 06 Nov 1994 08:49:37 GMT ",
      "1994-11-06T08:49:37.00000000Z",
      "x".repeat(1_000_000)
    ]
    expect(refused.filter((value) => HttpDate.parse(value) !== undefined)).toEqual([])
  })
  it.prop("reads back every second that is written", [fc.integer({ min: 0, max: 253_402_300_799 })], ([seconds]) => {
    expect(HttpDate.parse(new Date(seconds * 1000).toUTCString())).toBe(seconds * 1000)
  })
})
