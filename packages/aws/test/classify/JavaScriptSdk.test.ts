/**
 * The table `javascript` beside the functions that the SDK itself asks, on random errors.
 *
 * Documented differences: the SDK retries an abort that has the status or flag of a throttle, and reads no code but the
 * name; both are left out of what is generated.
 */
import { AwsClassifier, RetryAfter } from "@effect-retry/aws"
import { getRetryAfterHint, isThrottlingError, isTransientError } from "@smithy/core/retry"
import { HttpResponse } from "@smithy/core/protocols"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Verdicts from "../support/Verdicts.ts"

interface Parts {
  readonly name: string
  readonly message: string
  readonly code: string | undefined
  readonly status: number | undefined
  readonly trait: { readonly throttling?: boolean } | undefined
  readonly isSkewCorrected: boolean
  readonly isTypeError: boolean
}

const names = ["Error", "SlowDown", "Throttling", "RequestTimeout", "TimeoutError", "InvalidSignatureException", "Odd"]
const messages = ["words", "Signature expired: now", "Failed to fetch", "closed with NGHTTP2_REFUSED_STREAM"]
const codes = ["ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "ENOENT", "ERR_HTTP2_STREAM_ERROR"]

const sparse = <A>(values: ReadonlyArray<A>) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })

const parts: fc.Arbitrary<Parts> = fc.record({
  name: fc.constantFrom(...names),
  message: fc.constantFrom(...messages),
  code: sparse(codes),
  status: sparse([200, 400, 403, 408, 429, 500, 501, 502, 503, 504, 509]),
  trait: sparse([{}, { throttling: true }, { throttling: false }]),
  isSkewCorrected: fc.boolean(),
  isTypeError: fc.boolean()
})

const errorOf = (all: ReadonlyArray<Parts>): Error | undefined => {
  const [head, ...tail] = all
  if (head === undefined) return undefined
  const { code, isSkewCorrected, isTypeError, message, name, status, trait } = head
  const error = isTypeError ? new TypeError(message) : Object.assign(new Error(message), { name })
  const metadata = { httpStatusCode: status, ...(isSkewCorrected ? { clockSkewCorrected: true } : {}) }
  const cause = errorOf(tail)
  return Object.assign(error, {
    $metadata: metadata,
    ...(code === undefined ? {} : { code }),
    ...(trait === undefined ? {} : { $retryable: trait }),
    ...(cause === undefined ? {} : { cause })
  })
}

const ofSdk = (error: Error): string => {
  // Declared for errors of the SDK's own; it is called with any.
  if (isThrottlingError(error as never)) return "throttling"
  return isTransientError(error as never) ? "transient" : "no retry"
}

/** Without `LAW_RUNS`, a law runs a quarter as often as it says. */
const factor = Number(process.env["LAW_RUNS"] ?? 0.25)

const ofOurs = (error: Error): string => {
  const verdict = AwsClassifier.javascript(error, Verdicts.at(0))
  if (verdict._tag !== "Retryable") return "no retry"
  return verdict.kind === "Throttling" ? "throttling" : "transient"
}

describe("AwsClassifier.javascript", () => {
  it.prop(
    "judges as the SDK itself",
    [fc.array(parts, { minLength: 1, maxLength: 14 })],
    ([all]) => {
      const error = errorOf(all) ?? new Error("none")
      expect(ofOurs(error)).toBe(ofSdk(error))
    },
    { fastCheck: { numRuns: 5_000 * factor } }
  )
})

describe("RetryAfter.javascript", () => {
  const nowMillis = Date.UTC(2026, 10, 20)
  // The SDK reads the clock itself.
  beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"], now: nowMillis }))
  afterAll(() => void vi.useRealTimers())
  const values = [
    "5000",
    "0",
    "1.5",
    "12.25",
    "abc",
    "",
    "Sat, 20 Nov 2100 00:00:00 GMT",
    "Sunday, 20-Nov-33 00:00:00 GMT",
    "2100-11-20T00:00:00Z",
    "2001-11-20T00:00:00Z",
    "Sat, 20 Nov 2100 00:00:00 GMT, 45",
    "Sunday, 20-Nov-33 00:00:00 GMT, 4.5",
    "Invalid Date GMT"
  ]
  const header = fc.tuple(
    fc.constantFrom("Retry-After", "retry-after", "date", "content-type"),
    fc.constantFrom(...values)
  )
  const amz = fc.tuple(
    fc.constantFrom("x-amz-retry-after", "X-Amz-Retry-After"),
    fc.constantFrom("5000", "0", "abc", "12x")
  )
  it.prop(
    "reads what the SDK itself reads",
    [fc.array(fc.oneof(header, amz), { maxLength: 4 })],
    ([lines]) => {
      const headers = Object.fromEntries(lines)
      const hint = getRetryAfterHint(new HttpResponse({ statusCode: 503, headers }))
      const theirs = hint === undefined ? undefined : hint.getTime() - nowMillis
      expect(RetryAfter.javascript(headers, nowMillis)).toBe(theirs)
    },
    { fastCheck: { numRuns: 1_000 } }
  )
})
