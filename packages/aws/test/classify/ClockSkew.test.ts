import { AwsClassifier, ClockSkew } from "@effect-retry/aws"
import { Classifier, InvalidArgument } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Errors from "../support/Errors.ts"
import * as Verdicts from "../support/Verdicts.ts"

const noon = Date.UTC(2026, 10, 20, 12)
const date = "Fri, 20 Nov 2026 12:00:00 GMT"
const second = 1_000
const minute = 60 * second

const measure = (sentMillis: number, receivedMillis: number, headers: unknown = { Date: date }) =>
  ClockSkew.measure({ sentMillis, receivedMillis, headers })

describe("ClockSkew.measure", () => {
  it("compares the server's time with the middle of the exchange", () => {
    expect([
      measure(noon, noon),
      measure(noon - 10 * second, noon),
      measure(noon, noon + 10 * second),
      measure(noon - 5 * minute - second, noon - 5 * minute + second),
      measure(noon + 5 * minute, noon + 5 * minute)
    ]).toEqual([0, 5 * second, -5 * second, 5 * minute, -5 * minute])
  })
  it("reads every form of a date", () => {
    expect(
      [date, "Friday, 20-Nov-26 12:00:00 GMT", "Fri Nov 20 12:00:00 2026", "Fri, 20 Nov 2026 23:59:60 GMT"].map(
        (each) => measure(noon - minute, noon - minute, { date: each })
      )
    ).toEqual([minute, minute, minute, minute + 12 * 60 * minute])
  })
  it("ignores a date that says nothing about the server's clock", () => {
    expect([
      measure(noon, noon, {}),
      measure(noon, noon, { date: "yesterday" }),
      measure(noon, noon, { date, Age: "0" }),
      measure(noon, noon, { date, age: "" }),
      measure(noon - 15 * minute - 1, noon),
      measure(noon, noon - 1),
      measure(NaN, noon),
      measure(noon, Infinity)
    ]).toEqual(Array.from({ length: 8 }, () => undefined))
  })
  it("accepts a response that took a quarter of an hour", () => {
    expect(measure(noon - 15 * minute, noon)).toBe(7.5 * minute)
  })
  it.prop(
    "corrects the middle of the exchange to the server's time",
    [fc.integer({ min: 0, max: 15 * minute }), fc.integer({ min: -1e9, max: 1e9 })],
    ([took, ahead]) => {
      const sent = noon + ahead
      expect(sent + took / 2 + (measure(sent, sent + took) ?? NaN)).toBe(noon)
    }
  )
})

describe("ClockSkew.explains", () => {
  type Row = readonly [code: string, skewSeconds: number, standard: boolean, javascript: boolean]
  /**
   * Sources: https://github.com/aws/aws-sdk-go-v2 at 8e7280a, aws/retry/clockskew_test.go; `@smithy/core` 3.41.0 and
   * `@aws-sdk/core` 3.981.0 on npm.
   */
  const rows: ReadonlyArray<Row> = [
    ["InvalidSignatureException", 300, true, true],
    ["SignatureDoesNotMatch", 300, true, true],
    ["AuthFailure", 300, true, true],
    ["RequestTimeTooSkewed", 300, true, true],
    ["AccessDeniedException", 300, true, true],
    ["InvalidSignatureException", -300, true, true],
    ["InvalidSignatureException", 120, false, false],
    ["InvalidSignatureException", 240, false, true],
    ["InvalidSignatureException", -240, false, true],
    ["InvalidSignatureException", 240.001, true, true],
    ["InvalidSignatureException", -240.001, true, true],
    ["InvalidSignatureException", 239.999, false, false],
    ["ValidationException", 300, false, false],
    ["RequestExpired", 300, false, true],
    ["RequestInTheFuture", 300, false, true]
  ]
  it("agrees with Go and with JavaScript", () => {
    expect(
      rows.map(([code, skewSeconds]) => [
        code,
        skewSeconds,
        ClockSkew.explains(ClockSkew.standard, [code], skewSeconds * second),
        ClockSkew.explains(ClockSkew.javascript, [code], skewSeconds * second)
      ])
    ).toEqual(rows)
  })
  it("explains nothing that has no code", () => {
    expect(ClockSkew.explains(ClockSkew.standard, [], 300 * second)).toBe(false)
  })
})

describe("ClockSkew.skewOf", () => {
  it("finds the response of an error, of its causes, and the response itself", () => {
    const error = Errors.exception("Odd", 403, {}, { date })
    const found = [error, Errors.nested(3, error), { status: 200, headers: { date } }, new Error("none")]
    expect(found.map((outcome) => ClockSkew.skewOf(outcome, noon - minute))).toEqual([
      minute,
      minute,
      minute,
      undefined
    ])
  })
  it("takes the middle of the exchange if it is known", () => {
    expect(ClockSkew.skewOf(Errors.exception("Odd", 403, {}, { date }), noon, noon - 2 * minute)).toBe(minute)
  })
  it("finds none in hostile errors, and never throws", () => {
    expect(Errors.hostile.filter(([, error]) => ClockSkew.skewOf(error, noon) !== undefined)).toEqual([])
  })
})

describe("ClockSkew.classifier", () => {
  const error = (code: string, headers: { readonly [name: string]: string } = { date }) =>
    Errors.exception(code, 403, {}, headers)
  const classifier = Classifier.firstOf(ClockSkew.classifier(ClockSkew.standard), AwsClassifier.standard)
  const judge = (nowMillis: number, found: unknown = error("RequestTimeTooSkewed")) =>
    Verdicts.judgeWith(classifier, nowMillis)(found)
  const never = "never: RequestTimeTooSkewed, status 403"

  it("compares with the clock at the moment of the verdict", () => {
    expect([
      judge(noon),
      judge(noon - 240 * second),
      judge(noon - 240 * second - 1),
      judge(noon + 240 * second),
      judge(noon + 240 * second + 1),
      judge(NaN)
    ]).toEqual([never, never, "Transient", never, "Transient", never])
  })
  it("retries only if the response itself shows the skew", () => {
    const late = noon + 5 * minute
    expect([
      judge(late, error("RequestTimeTooSkewed", {})),
      judge(late, error("RequestTimeTooSkewed", { date, age: "1" })),
      judge(late, error("ValidationException")),
      judge(late, new Error("boom")),
      judge(late, Errors.nested(2, error("AuthFailure")))
    ]).toEqual([never, never, "never: ValidationException, status 403", "no opinion", "Transient"])
  })
  it("accepts a more precise measurement of the skew", () => {
    const measured = Verdicts.judgeWith(ClockSkew.classifier(ClockSkew.standard, () => 5 * minute))
    expect([measured(error("AuthFailure")), measured(error("Odd"))]).toEqual(["Transient", "no opinion"])
    const asked: Array<unknown> = []
    const counting = Verdicts.judgeWith(
      ClockSkew.classifier(ClockSkew.standard, (found) => {
        asked.push(found)
        return undefined
      })
    )
    const [skewed, other] = [error("AuthFailure"), error("Odd")]
    expect([counting(skewed), counting(other), asked]).toEqual(["no opinion", "no opinion", [skewed]])
  })
  it("has its codes and its threshold in a table", () => {
    const rule = { ...ClockSkew.standard, codes: ["Odd"], thresholdMillis: 0 }
    const found = Verdicts.judgeWith(ClockSkew.classifier(rule), noon + 1)
    expect([found(error("Odd")), found(error("AuthFailure"))]).toEqual(["Transient", "no opinion"])
    expect(() => ClockSkew.classifier({ ...rule, thresholdMillis: -1 })).toThrow(InvalidArgument.InvalidArgument)
  })
})
