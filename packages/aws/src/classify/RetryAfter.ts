/**
 * Reads how long a response asks the client to wait, as the SDKs do.
 *
 * The value comes from outside and is not bounded here; the policy's rule bounds it:
 * `Hint.within({ above: "5 seconds" })`. A header alone never makes a failure retryable.
 *
 * SDKs disagree. `standard` is the rule of 2026, in botocore, Rust, Kotlin, Go, PHP, Swift and Java. The SDK for
 * JavaScript also reads `Retry-After` and takes the header that comes first. Java before 2026 read `Retry-After` alone.
 */
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"
import * as HeaderLines from "./HeaderLines.ts"

/**
 * Reads the wait in milliseconds from headers of any form; `undefined` if they do not say. A reader that needs the time
 * declares `nowMillis`, in milliseconds since 1970.
 *
 * @category models
 */
export type Reader = (headers: unknown, nowMillis: number) => number | undefined

/**
 * `x-amz-retry-after`: whole milliseconds, digits only, at most 2^53 - 1. Anything else counts as absent.
 *
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html; of the values ignored
 * https://github.com/aws/aws-sdk-java-v2, BaseRetryableStageTest, and https://github.com/boto/botocore at 0e6e240,
 * tests/unit/retries/test_standard_retry_v2_1.py.
 *
 * @category constructors
 */
export const standard: Reader = (headers) => {
  const value = HeaderLines.get(HeaderLines.read(headers), "x-amz-retry-after")
  return value === undefined ? undefined : wholeMillis(value, 1)
}

/**
 * Reads like the SDK for JavaScript: `x-amz-retry-after` or `retry-after`, whichever comes first in the headers.
 *
 * `retry-after` is seconds, possibly with a fraction; a date in any of the three forms of HTTP; "date, seconds", of
 * which the seconds count; or an ISO 8601 date in the future. Stricter than the SDK: digits only, without exponent or
 * sign, and no date of any other form. A value of another form counts as absent; a date in the past is a wait of 0.
 * Source: https://github.com/smithy-lang/smithy-typescript at 6815d3e (2026-08-20), parseRetryAfterHeader.ts.
 *
 * @category constructors
 */
export const javascript: Reader = (headers, nowMillis) => {
  const first = HeaderLines.read(headers).find(([name]) => name === "x-amz-retry-after" || name === "retry-after")
  if (first === undefined) return undefined
  return first[0] === "x-amz-retry-after" ? wholeMillis(first[1], 1) : secondsOrDate(first[1], nowMillis)
}

/**
 * Reads like the SDK for Java before 2026: `retry-after` in whole seconds; a fraction and a date count as absent.
 *
 * Source: https://github.com/aws/aws-sdk-java-v2, BaseRetryableStageTest.
 *
 * @category constructors
 */
export const java2020: Reader = (headers) => {
  const value = HeaderLines.get(HeaderLines.read(headers), "retry-after")
  return value === undefined ? undefined : wholeMillis(value, 1000)
}

/**
 * Reads no header, like botocore and Go before 2026.
 *
 * @category constructors
 */
export const none: Reader = () => undefined

const wholeMillis = (value: string, unitMillis: number): number | undefined =>
  /^\d+$/.test(value) ? bounded(Number(value) * unitMillis) : undefined

/** A value that a number cannot hold exactly counts as overflow. */
const bounded = (millis: number): number | undefined => (millis <= Number.MAX_SAFE_INTEGER ? millis : undefined)

const secondsOrDate = (value: string, nowMillis: number): number | undefined => {
  const seconds = /^(?:[A-Z][\w,: -]{1,40} GMT, )?(?<seconds>\d+(?:\.\d+)?)$/.exec(value)?.groups?.["seconds"]
  if (seconds !== undefined) return bounded(Math.round(Number(seconds) * 1000))
  if (Number.isNaN(nowMillis)) return undefined
  const at = HttpDate.parse(value, nowMillis)
  if (at !== undefined) return Math.max(0, at - nowMillis)
  const isoMillis = isoDate.test(value) ? Date.parse(value) : NaN
  return isoMillis >= nowMillis ? isoMillis - nowMillis : undefined
}

const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
