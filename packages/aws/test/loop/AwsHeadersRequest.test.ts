import * as Request from "../../src/loop/AwsHeadersRequest.ts"
import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import * as FastCheck from "effect/FastCheck"

const millis = (moment: string) => Date.parse(moment)

describe("AwsHeaders.ttl", () => {
  // Source: botocore 1.43.107, tests/functional/test_retry.py. Local clock, server's clock, its moment by the local one.
  it.each([
    ["2019-06-01T00:00:01Z", "2019-06-01T00:00:00Z", "2019-06-01T00:00:00Z", "20190601T000011Z"],
    ["2019-06-01T00:00:02Z", "2019-06-01T00:00:01Z", "2019-06-01T00:00:01Z", "20190601T000012Z"],
    ["2019-06-01T00:00:06Z", "2019-06-01T00:10:03Z", "2019-06-01T00:00:05Z", "20190601T001014Z"],
    ["2019-06-01T00:00:12Z", "2019-06-01T00:10:09Z", "2019-06-01T00:00:11Z", "20190601T001020Z"]
  ])("adds read timeout and skew: %s, server %s at %s", (now, server, received, expected) => {
    const skewMillis = millis(server) - millis(received)
    expect(Request.ttl({ nowMillis: millis(now), readTimeout: "10 seconds", skewMillis })).toEqual(
      Option.some(expected)
    )
  })

  it.each([
    ["whole seconds, down", millis("2026-11-22T01:02:03.999Z"), 0, Option.some("20261122T010203Z")],
    ["a skew to the past", millis("2026-11-22T01:02:03Z"), -3_723_000, Option.some("20261122T000000Z")],
    ["the first year", millis("0000-01-01T00:00:00Z"), 0, Option.some("00000101T000000Z")],
    ["before it", millis("0000-01-01T00:00:00Z"), -1, Option.none()],
    ["the last second of the last year", millis("9999-12-31T23:59:59.999Z"), 0, Option.some("99991231T235959Z")],
    ["after it", millis("9999-12-31T23:59:59.999Z"), 1, Option.none()],
    ["no number", NaN, 0, Option.none()],
    ["no end", 0, Infinity, Option.none()]
  ])("has a year of four digits, or is absent: %s", (_, nowMillis, skewMillis, expected) => {
    expect(Request.ttl({ nowMillis, readTimeout: 0, skewMillis })).toEqual(expected)
  })

  it("refuses a timeout without an end", () => {
    expect(() => Request.ttl({ nowMillis: 0, readTimeout: Infinity })).toThrow(
      "AwsHeaders.ttl: readTimeout must be a finite duration >= 0, got Infinity"
    )
  })
})

describe("AwsHeaders.request", () => {
  it.each([
    // Sources: aws-sdk-kotlin 05ea93b, AwsRetryHeaderMiddlewareTest; smithy-typescript 6815d3e, retryMiddleware.ts.
    [{ attempt: 1, max: 3 }, "attempt=1; max=3"],
    [{ attempt: 2, max: 3 }, "attempt=2; max=3"],
    // Source: botocore 1.43.107, tests/functional/test_retry.py, tests/unit/retries/test_standard_retry_v2_1.py.
    [{ attempt: 1 }, "attempt=1"],
    [{ attempt: 1, max: 4 }, "attempt=1; max=4"],
    [
      { attempt: 2, max: 3, ttl: { nowMillis: millis("2019-06-01T00:00:01Z"), readTimeout: "10 seconds" } },
      "ttl=20190601T000011Z; attempt=2; max=3"
    ],
    [{ attempt: 2, max: 3, ttl: { nowMillis: NaN, readTimeout: "10 seconds" } }, "attempt=2; max=3"]
  ] satisfies ReadonlyArray<readonly [Request.Fields, string]>)("writes %j", (fields, expected) => {
    expect(Request.request(fields)).toBe(expected)
  })

  it.each([
    [{ attempt: 0 }, "attempt must be a whole number >= 1, got 0"],
    [{ attempt: 1.5 }, "attempt must be a whole number >= 1, got 1.5"],
    [{ attempt: NaN }, "attempt must be a whole number >= 1, got NaN"],
    [{ attempt: 1, max: 0 }, "max must be a whole number >= 1, got 0"],
    [{ attempt: 1, max: Infinity }, "max must be a whole number >= 1, got Infinity"]
  ])("refuses %j", (fields, message) => {
    expect(() => Request.request(fields)).toThrow(`AwsHeaders.request: ${message}`)
  })

  it("is the value of a header, whatever the clocks say", () => {
    const clock = FastCheck.double()
    const count = FastCheck.integer({ min: 1, max: 1_000 })
    FastCheck.assert(
      FastCheck.property(clock, clock, count, count, (nowMillis, skewMillis, attempt, max) => {
        const value = Request.request({ attempt, max, ttl: { nowMillis, readTimeout: "1 minute", skewMillis } })
        expect(value).toMatch(/^(ttl=\d{8}T\d{6}Z; )?attempt=\d+; max=\d+$/)
      })
    )
  })
})
