/**
 * Clock skew: how far the server's clock is ahead, and which errors another attempt with a corrected clock may cure.
 *
 * Second stage of the flow. Pure: `CorrectedTime` of the stage `loop` keeps the correction of a client and times its
 * attempts. A classifier from here has no opinion if no skew was measured for that very response. Put it before the
 * classifier that calls such errors terminal.
 *
 * @example
 * ```ts
 * import { AwsClassifier, ClockSkew } from "@effect-retry/aws"
 * import { Classifier } from "@effect-retry/core"
 * import { Duration } from "effect"
 * import * as assert from "node:assert"
 *
 * const classifier = Classifier.firstOf(ClockSkew.classifier(ClockSkew.standard), AwsClassifier.standard)
 * const at = (nowMillis: number) => ({ nowMillis, attempt: 1, elapsed: Duration.zero })
 * const error = {
 *   name: "RequestTimeTooSkewed",
 *   $fault: "client",
 *   $response: { statusCode: 403, headers: { date: "Fri, 20 Nov 2026 12:00:00 GMT" } }
 * }
 * const noon = Date.UTC(2026, 10, 20, 12)
 *
 * assert.strictEqual(classifier(error, at(noon - 240_001))._tag, "Retryable")
 * assert.strictEqual(classifier(error, at(noon - 240_000))._tag, "Terminal")
 * ```
 */
import { type Classifier, Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"
import * as Property from "@effect-retry/core/unstable/Property"
import * as AwsError from "./AwsError.ts"
import * as HeaderLines from "./HeaderLines.ts"

/**
 * A response, and when it was requested and received by the local clock, in milliseconds since 1970.
 *
 * @category models
 */
export interface Sample {
  readonly sentMillis: number
  readonly receivedMillis: number
  /** Headers of any form. */
  readonly headers: unknown
}

/**
 * Which errors a skew explains, and the least skew that does.
 *
 * @category models
 */
export interface Rule {
  readonly codes: ReadonlyArray<string>
  /** Milliseconds, ahead or behind. */
  readonly thresholdMillis: number
  /** Whether a skew of exactly the threshold does not count. */
  readonly exclusive: boolean
}

/** A slower response says nothing about the clock. Source: the SDKs for Go and JavaScript, as of 2026. */
const longestMillis = 15 * 60_000

/**
 * How many milliseconds the server's clock is ahead of the local one; negative if it is behind; `undefined` if the
 * response does not say.
 *
 * Formula: the server's `Date` minus the midpoint of `sentMillis` and `receivedMillis`. A response is ignored if it has
 * an `Age` header, because it comes from a cache, if it took more than 15 minutes, or if it was received before it was
 * sent. Source: https://github.com/aws/aws-sdk-go-v2 at 8e7280a, aws/retry; Rust has the same. The SDK for JavaScript
 * uses the time of receipt instead: `sentMillis` equal to `receivedMillis`.
 *
 * @category constructors
 */
export const measure = ({ headers, receivedMillis, sentMillis }: Sample): number | undefined => {
  const lines = HeaderLines.read(headers)
  const date = HeaderLines.get(lines, "date")
  const tookMillis = receivedMillis - sentMillis
  const isFresh = HeaderLines.get(lines, "age") === undefined && tookMillis >= 0 && tookMillis <= longestMillis
  const serverMillis = date === undefined || !isFresh ? undefined : HttpDate.parse(date, receivedMillis)
  return serverMillis === undefined ? undefined : serverMillis - (sentMillis + tookMillis / 2)
}

/**
 * The rule of 2026: five codes, and a skew of more than 4 minutes.
 *
 * Source: https://github.com/aws/aws-sdk-go-v2 at 8e7280a, aws/retry/clockskew_test.go.
 *
 * @category constructors
 */
export const standard: Rule = {
  codes: [
    "AccessDeniedException",
    "AuthFailure",
    "InvalidSignatureException",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch"
  ],
  thresholdMillis: 240_000,
  exclusive: true
}

/**
 * The rule of the SDK for JavaScript: two more codes, and a skew of exactly 4 minutes counts.
 *
 * Source: `@smithy/core` 3.41.0, retry/constants, and `@aws-sdk/core` 3.981.0, AwsSdkSigV4Signer, read 2026-11-22.
 *
 * @category constructors
 */
export const javascript: Rule = {
  codes: [...standard.codes, "RequestExpired", "RequestInTheFuture"],
  thresholdMillis: 240_000,
  exclusive: false
}

/**
 * Whether a skew explains an error with these codes.
 *
 * @category guards
 */
export const explains = (rule: Rule, codes: ReadonlyArray<string>, skewMillis: number): boolean => {
  const size = Math.abs(skewMillis)
  const isEnough = rule.exclusive ? size > rule.thresholdMillis : size >= rule.thresholdMillis
  return isEnough && codes.some((code) => rule.codes.includes(code))
}

/**
 * The skew of a response, or of the response inside an error or its causes.
 *
 * Without `sentMillis` the duration of the request is ignored, as in the SDK for JavaScript.
 *
 * @category destructors
 */
export const skewOf = (
  outcome: unknown,
  receivedMillis: number,
  sentMillis: number = receivedMillis
): number | undefined =>
  AwsError.chain(outcome, Property.mostCauses)
    .map(({ headers }) => measure({ sentMillis, receivedMillis, headers }))
    .find((skewMillis) => skewMillis !== undefined)

/**
 * Judges an error as transient if a skew explains it; has no opinion on others.
 *
 * The skew is measured at the time of the verdict, unless `measured` gives a better value.
 *
 * @category constructors
 */
export const classifier = (
  rule: Rule,
  measured: (error: unknown, nowMillis: number) => number | undefined = skewOf
): Classifier.Classifier => {
  Argument.number("ClockSkew.classifier", "thresholdMillis", rule.thresholdMillis, { min: 0 })
  if (!Array.isArray(rule.codes)) Argument.refuse("ClockSkew.classifier", "codes", "a list of codes", rule.codes)
  return (error, { nowMillis }) => {
    const codes = AwsError.chain(error, Property.mostCauses).flatMap((each) => each.codes)
    if (!codes.some((code) => rule.codes.includes(code))) return Verdict.noOpinion
    const skewMillis = measured(error, nowMillis)
    return skewMillis !== undefined && explains(rule, codes, skewMillis) ? Verdict.transient : Verdict.noOpinion
  }
}
