import { AwsClassifier, RetryAfter } from "@effect-retry/aws"
import { Backoff, Hint, Retry } from "@effect-retry/core"
import { Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Errors from "../support/Errors.ts"

const nowMillis = 1_773_769_074_339
const httpDate = (millis: number) => new Date(millis).toUTCString()

describe("RetryAfter.javascript", () => {
  type Headers = { readonly [name: string]: string }
  /** Source: smithy-lang/smithy-typescript at 6815d3e (2026-08-20), parseRetryAfterHeader.spec.ts. */
  const rows: ReadonlyArray<readonly [name: string, headers: Headers, atMillis: number | undefined]> = [
    ["milliseconds", { "x-amz-retry-after": "5000" }, nowMillis + 5_000],
    ["a fraction", { "retry-after": "1.0004" }, nowMillis + 1_000],
    ["no number", { "x-amz-retry-after": "abc" }, undefined],
    ["seconds", { "retry-after": "120" }, 1_773_769_194_339],
    // A date has no fraction of the second.
    ["date", { "retry-after": httpDate(nowMillis + 60_000) }, nowMillis + 60_000 - 339],
    ["date and seconds", { "retry-after": `${httpDate(nowMillis + 30_000)}, 45` }, 1_773_769_119_339],
    ["garbage", { "retry-after": "not-a-number" }, undefined],
    ["no date", { "retry-after": "Invalid Date GMT" }, undefined],
    ["ISO 8601", { "retry-after": new Date(nowMillis + 30_000).toISOString() }, nowMillis + 30_000],
    ["the first header counts", { "retry-after": "10", "x-amz-retry-after": "9999" }, 1_773_769_084_339],
    ["the other one first", { "x-amz-retry-after": "9999", "retry-after": "10" }, nowMillis + 9_999],
    ["none", { "content-type": "application/json" }, undefined]
  ]
  it("agrees with the SDK's own tests", () => {
    expect(
      rows.map(([name, headers]) => {
        const millis = RetryAfter.javascript(headers, nowMillis)
        return [name, headers, millis === undefined ? undefined : nowMillis + millis]
      })
    ).toEqual(rows)
  })
  it("reads fractions of a second, and every form of a date", () => {
    const values: ReadonlyArray<readonly [value: string, millis: number]> = [
      ["2.0", 2_000],
      ["1.5", 1_500],
      ["Tue, 17 Mar 2026 17:38:54 GMT", 59_661],
      ["Tuesday, 17-Mar-26 17:38:54 GMT", 59_661],
      ["Tue Mar 17 17:38:54 2026", 59_661],
      // A leap second is the second after it.
      ["Tue, 17 Mar 2026 23:59:60 GMT", 22_925_661],
      // A year of two digits is at most half a century ahead: 1994.
      ["Sunday, 06-Nov-94 08:49:37 GMT", 0]
    ]
    expect(values.map(([value]) => [value, RetryAfter.javascript({ "retry-after": value }, nowMillis)])).toEqual(values)
  })
  it("counts a past date as no wait, and reads none without a clock", () => {
    const past = { "retry-after": httpDate(nowMillis - 60_000) }
    const pastIso = { "retry-after": new Date(nowMillis - 60_000).toISOString() }
    expect([
      RetryAfter.javascript(past, nowMillis),
      RetryAfter.javascript(pastIso, nowMillis),
      RetryAfter.javascript({ "retry-after": httpDate(nowMillis + 60_000) }, NaN)
    ]).toEqual([0, undefined, undefined])
  })
  it("refuses what only looks like a number, in either header", () => {
    const values = [
      "",
      " 5",
      "5 ",
      "-5",
      "+5",
      "1e3",
      "0x10",
      "Infinity",
      "NaN",
      "٥",
      "9".repeat(300),
      "1,5",
      "5\n",
      "Nov 20 2100"
    ]
    for (const name of ["retry-after", "x-amz-retry-after"]) {
      expect(values.map((value) => [value, RetryAfter.javascript({ [name]: value }, nowMillis)])).toEqual(
        values.map((value) => [value, undefined])
      )
    }
  })
})

/** Source: https://github.com/aws/aws-sdk-java-v2, BaseRetryableStageTest: a wait of 0 there is none here. */
const java: ReadonlyArray<readonly [behaviour: string, headers: object, millis: number | undefined]> = [
  ["2.0", { "Retry-After": "1" }, 1_000],
  ["2.0", { "Retry-After": "one second" }, undefined],
  ["2.0", { "Retry-After": "1.5" }, undefined],
  ["2.0", { "Retry-After": "9223372036854775807" }, undefined],
  ["2.0", { "Retry-After": "1", "x-amz-retry-after": "50" }, 1_000],
  ["2.0", {}, undefined],
  ["2.1", { "x-amz-retry-after": "1" }, 1],
  ["2.1", { "x-amz-retry-after": "one second" }, undefined],
  ["2.1", { "x-amz-retry-after": "9223372036854775807" }, undefined],
  ["2.1", { "Retry-After": "1", "x-amz-retry-after": "50" }, 50],
  ["2.1", {}, undefined]
]

describe("RetryAfter.java2020 and RetryAfter.standard", () => {
  it("agree with Java's own tests", () => {
    expect(
      java.map(([behaviour, headers]) => [
        behaviour,
        headers,
        (behaviour === "2.0" ? RetryAfter.java2020 : RetryAfter.standard)(headers, NaN)
      ])
    ).toEqual(java)
  })
})

describe("RetryAfter.standard", () => {
  it("ignores a bare Retry-After, and every value that is not digits alone", () => {
    const values = ["", "-1", "+1", "1.5", " 1", "1 ", "1e3", "0x1", "abc", "1\0", "٥", "1, 2", "9007199254740992"]
    expect(RetryAfter.standard({ "retry-after": "1" }, 0)).toBe(undefined)
    expect(values.filter((value) => RetryAfter.standard({ "x-amz-retry-after": value }, 0) !== undefined)).toEqual([])
  })
  it("reads up to the greatest whole number, in any case of the name", () => {
    expect([
      RetryAfter.standard({ "X-AMZ-Retry-After": "9007199254740991" }, 0),
      RetryAfter.standard({ "x-amz-retry-after": "0" }, 0),
      RetryAfter.standard(new Headers({ "X-Amz-Retry-After": "007" }), 0)
    ]).toEqual([9_007_199_254_740_991, 0, 7])
  })
})

describe("RetryAfter.none", () => {
  it("reads no header", () => {
    expect(RetryAfter.none({ "x-amz-retry-after": "1", "retry-after": "1" }, 0)).toBe(undefined)
  })
})

describe("the server's wait, from header to delay", () => {
  /**
   * Sources: smithy-lang/smithy-kotlin at 6373a5f, ExponentialBackoffWithJitterTest.kt; smithy-lang/smithy-rs at 56ee88c,
   * standard.rs; boto/botocore at 0e6e240, test_standard_retry_v2_1.py; smithy-lang/smithy-typescript at 6815d3e,
   * retries.integ.spec.ts; the last two follow from the rule.
   */
  const rows: ReadonlyArray<readonly [source: string, backoffMillis: number, header: string, delayMillis: number]> = [
    ["Kotlin", 50, "1500", 1_500],
    ["Kotlin", 50, "0", 50],
    ["Kotlin", 50, "10000", 5_050],
    ["Kotlin", 50, "", 50],
    ["Rust", 50, "3000", 3_000],
    ["Rust", 50, "10", 50],
    ["Rust", 50, "10000", 5_050],
    ["botocore", 50, "1500", 1_500],
    ["botocore", 50, "10000", 5_050],
    ["JavaScript", 50, "1500", 1_500],
    ["JavaScript", 50, "invalid", 50],
    ["the rule", 20_000, "60000", 25_000],
    ["the rule", 1_000, "60000", 6_000]
  ]
  it.effect("waits as the SDKs do", () =>
    Effect.gen(function* () {
      const found = yield* Effect.forEach(rows, ([source, backoffMillis, header]) => {
        const failure = Errors.exception("SlowDown", 503, {}, { "X-Amz-Retry-After": header })
        const policy = {
          classifier: AwsClassifier.standard,
          maxAttempts: 2,
          backoff: Backoff.constant({ delay: backoffMillis }),
          hint: Hint.within({ above: "5 seconds" })
        }
        const retried = Retry.retry(Timeline.attempt(Effect.fail(failure)), policy)
        return Effect.map(VirtualClock.run(Timeline.record(retried)), (timeline) => [
          source,
          backoffMillis,
          header,
          ...Timeline.waitsMillis(timeline)
        ])
      })
      expect(found).toEqual(rows)
    })
  )
})
