/**
 * Response headers that say how long to wait, and their order of precedence.
 *
 * Readers are pure and strict: a value that does not have exactly its documented form counts as absent, and the next
 * header is read. The values come from outside, so the policy's hint rule bounds them.
 *
 * @example
 * ```ts
 * import { HintHeader } from "@effect-retry/http"
 * import { Headers } from "@effect/platform"
 * import * as assert from "node:assert"
 *
 * const read = (headers: Record<string, string>) =>
 *   HintHeader.read(HintHeader.standard, Headers.fromInput(headers), Date.UTC(2030, 0))
 *
 * // The response's own clock counts.
 * const dates = { date: "Fri, 20 Nov 2026 11:00:00 GMT", "retry-after": "Fri, 20 Nov 2026 11:01:00 GMT" }
 * assert.deepStrictEqual(read(dates), { header: "retry-after", millis: 60_000 })
 * // A value of another form counts as absent, and the next header is read.
 * const hostile = { "retry-after": "1e99", "x-ratelimit-reset": "30", "x-ratelimit-remaining": "0" }
 * assert.deepStrictEqual(read(hostile), { header: "x-ratelimit-reset", millis: 30_000 })
 * ```
 */
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"
import type * as Headers from "@effect/platform/Headers"
import { readable } from "./HeaderText.ts"
import * as RateLimitFields from "./RateLimitFields.ts"
import * as ResetDialects from "./ResetDialects.ts"
import * as RetryAfter from "./RetryAfter.ts"
import * as Wait from "./Wait.ts"

/**
 * A header, or a family of headers, that says how long to wait.
 *
 * @category models
 */
export interface HintHeader {
  /** Its name in messages, such as `retry-after`. */
  readonly name: string
  /**
   * The wait in milliseconds, from 0 to `Infinity`, or `undefined` if the headers do not say.
   *
   * `nowMillis` is the time by the server's clock, in milliseconds since 1970; `NaN` if it is unknown.
   */
  readonly read: (headers: Headers.Headers, nowMillis: number) => number | undefined
}

/**
 * The wait that the headers ask for.
 *
 * @category models
 */
export interface Found {
  /** The `name` of the header that was read. */
  readonly header: string
  /** From 0 to `Infinity`. */
  readonly millis: number
}

const ofOne = (name: string, parse: (value: string, nowMillis: number) => number | undefined): HintHeader => ({
  name,
  read: (headers, nowMillis) => {
    const value = readable(headers, name)
    return value === undefined ? undefined : parse(value, nowMillis)
  }
})

/** The headers of a limit: when it resets, and how much is left. */
type Limit = readonly [reset: string, remaining: string]

/** The longest wait for an exhausted limit. Every response carries resets; those of a limit with quota left say nothing. */
const ofLimits = (
  name: string,
  limits: ReadonlyArray<Limit>,
  parse: (reset: string, nowMillis: number) => number | undefined
): HintHeader => ({
  name,
  read: (headers, nowMillis) =>
    Wait.longest(
      limits.map(([resetName, remainingName]) => {
        const reset = readable(headers, resetName)
        const remaining = readable(headers, remainingName)
        const isHint =
          headers[remainingName] === undefined || (remaining !== undefined && ResetDialects.isExhausted(remaining))
        return reset !== undefined && isHint ? parse(reset, nowMillis) : undefined
      })
    )
})

/**
 * `grpc-retry-pushback-ms`: whole milliseconds, at most 2^31 - 1. Any other value forbids a retry: see
 * `Directive.grpcRetryPushback`.
 *
 * gRPC waits exactly that long, and then its back-off starts over: `Hint.override({ startsOver: true, … })`.
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback".
 *
 * @category constructors
 */
export const grpcRetryPushback: HintHeader = /*#__PURE__*/ ofOne("grpc-retry-pushback-ms", ResetDialects.int32Millis)

/**
 * `retry-after-ms`: milliseconds, possibly with a fraction.
 *
 * Sources: https://github.com/Azure/AppConfiguration, docs/REST/throttling.md; https://github.com/openai/openai-node,
 * src/client.ts at 7b7d6ca (2026-08-21), which reads it before `retry-after`; read 2026-11-20.
 *
 * @category constructors
 */
export const retryAfterMs: HintHeader = /*#__PURE__*/ ofOne("retry-after-ms", RetryAfter.decimalMillis)

/**
 * `x-ms-retry-after-ms`: milliseconds, possibly with a fraction.
 *
 * Source: https://learn.microsoft.com/rest/api/cosmos-db/common-cosmosdb-rest-response-headers.
 *
 * @category constructors
 */
export const xMsRetryAfterMs: HintHeader = /*#__PURE__*/ ofOne("x-ms-retry-after-ms", RetryAfter.decimalMillis)

/**
 * `x-amz-retry-after`: whole milliseconds.
 *
 * Source: https://github.com/smithy-lang/smithy-typescript at 6815d3e (2026-08-20), parseRetryAfterHeader.spec.ts, read
 * 2026-11-20.
 *
 * @category constructors
 */
export const xAmzRetryAfter: HintHeader = /*#__PURE__*/ ofOne("x-amz-retry-after", RetryAfter.wholeMillis)

/** The first value of a list: clients join two lines with one header. */
const firstOf = (value: string): string => /^(\d[\d.]*|[A-Z][^,]*,[^,]* GMT)[ \t]*,/.exec(value)?.[1] ?? value

/**
 * `retry-after`: seconds, possibly with a fraction, or an HTTP-date in any of its three forms.
 *
 * No other dates are read. Of two lines the first one counts, as in node:http:
 * https://nodejs.org/api/http.html#messageheaders.
 * Source: RFC 9110, section 10.2.3, https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3.
 *
 * @category constructors
 */
export const retryAfter: HintHeader = /*#__PURE__*/ ofOne("retry-after", (value, nowMillis) =>
  RetryAfter.parse(firstOf(value), nowMillis)
)

/**
 * `ratelimit`, with the windows of `ratelimit-policy`: the longest wait for a limit with `r=0`: its `t`, or else the
 * `w` of the policy with the same name.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10 (2025-09-24),
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/, read 2026-11-20.
 *
 * @category constructors
 */
export const rateLimit: HintHeader = {
  name: "ratelimit",
  read: (headers) => {
    const value = readable(headers, "ratelimit")
    return value === undefined ? undefined : RateLimitFields.parse(value, readable(headers, "ratelimit-policy"))
  }
}

/**
 * `x-ratelimit-reset-requests`, `-tokens` and `-project-tokens`: durations such as `6m0s`, `20ms` and `1h2m3.5s`, if
 * `x-ratelimit-remaining-...` is absent or 0; the longest counts.
 *
 * Source: https://platform.openai.com/docs/guides/rate-limits, "Rate limits in headers".
 *
 * @category constructors
 */
export const openAi: HintHeader = /*#__PURE__*/ ofLimits(
  "x-ratelimit-reset-*",
  [
    ["x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"],
    ["x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"],
    ["x-ratelimit-reset-project-tokens", "x-ratelimit-remaining-project-tokens"]
  ],
  ResetDialects.duration
)

/**
 * `anthropic-ratelimit-requests-reset`, and of `tokens`, `input-tokens` and `output-tokens`: instants of RFC 3339, if
 * `anthropic-ratelimit-...-remaining` is absent or 0; the longest wait counts.
 *
 * Source: https://docs.anthropic.com/en/api/rate-limits, "Response headers".
 *
 * @category constructors
 */
export const anthropic: HintHeader = /*#__PURE__*/ ofLimits(
  "anthropic-ratelimit-*-reset",
  [
    ["anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"],
    ["anthropic-ratelimit-tokens-reset", "anthropic-ratelimit-tokens-remaining"],
    ["anthropic-ratelimit-input-tokens-reset", "anthropic-ratelimit-input-tokens-remaining"],
    ["anthropic-ratelimit-output-tokens-reset", "anthropic-ratelimit-output-tokens-remaining"]
  ],
  ResetDialects.untilDateTime
)

const resetAfter: HintHeader = /*#__PURE__*/ ofLimits(
  "x-ratelimit-reset-after",
  [["x-ratelimit-reset-after", "x-ratelimit-remaining"]],
  ResetDialects.seconds
)

/**
 * `x-ratelimit-reset-after`: seconds, also with a fraction, where `x-ratelimit-remaining` is absent or 0.
 *
 * The header describes the route's own limit: if `x-ratelimit-scope` is `global` or `shared`, or `x-ratelimit-global`
 * is `true`, another limit was exceeded, and only `retry-after` describes that one. Source:
 * https://discord.com/developers/docs/topics/rate-limits, "Header Format".
 *
 * @category constructors
 */
export const rateLimitResetAfter: HintHeader = {
  name: resetAfter.name,
  read: (headers, nowMillis) => (isOfRoute(headers) ? resetAfter.read(headers, nowMillis) : undefined)
}

const isOfRoute = (headers: Headers.Headers): boolean => {
  const scope = readable(headers, "x-ratelimit-scope")
  return scope !== "global" && scope !== "shared" && readable(headers, "x-ratelimit-global") !== "true"
}

/**
 * `x-ratelimit-reset`, `x-rate-limit-reset` and `ratelimit-reset`, if `...-remaining` is absent or 0; the longest wait
 * counts.
 *
 * A number below 1e9 is the seconds to wait, as in older IETF drafts; below 1e12 it is seconds since 1970, as sent by
 * GitHub; from 1e12 on it is milliseconds since 1970, as sent by OpenRouter. Each may have a fraction. An HTTP-date is
 * read as well. Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api, read 2026-11-20.
 *
 * @category constructors
 */
export const rateLimitReset: HintHeader = /*#__PURE__*/ ofLimits(
  "x-ratelimit-reset",
  [
    ["x-ratelimit-reset", "x-ratelimit-remaining"],
    ["x-rate-limit-reset", "x-rate-limit-remaining"],
    ["ratelimit-reset", "ratelimit-remaining"]
  ],
  ResetDialects.byMagnitude
)

/**
 * All of the above, the most precise and most specific first: milliseconds, then `retry-after`, which "MUST take
 * precedence" over `ratelimit` (section 7 of that draft), then the headers that say when a limit resets.
 *
 * @category constructors
 */
export const standard: ReadonlyArray<HintHeader> = [
  grpcRetryPushback,
  retryAfterMs,
  xMsRetryAfterMs,
  xAmzRetryAfter,
  retryAfter,
  rateLimit,
  openAi,
  anthropic,
  rateLimitResetAfter,
  rateLimitReset
]

/**
 * The same header, except that a wait of 0 counts as absent.
 *
 * @category combinators
 */
export const aboveZero = (self: HintHeader): HintHeader => ({
  name: self.name,
  read: (headers, nowMillis) => self.read(headers, nowMillis) || undefined
})

/**
 * The first of the headers with a valid value. A time in the past is a wait of 0.
 *
 * The current time is taken from the response's own `Date`, so that a wrong clock does no harm, and from `clockMillis`, in
 * milliseconds since 1970, only if the response has no valid date. If that is `NaN`, a header that needs the time counts as
 * absent.
 *
 * @category destructors
 */
export const read = (
  hints: ReadonlyArray<HintHeader>,
  headers: Headers.Headers,
  clockMillis: number
): Found | undefined => {
  const date = readable(headers, "date")
  const nowMillis = (date === undefined ? undefined : HttpDate.parse(date, clockMillis)) ?? clockMillis
  for (const hint of hints) {
    const millis = hint.read(headers, nowMillis)
    if (millis !== undefined && millis >= 0) return { header: hint.name, millis }
  }
  return undefined
}
