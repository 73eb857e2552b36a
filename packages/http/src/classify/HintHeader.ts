/**
 * Response headers that say how long to wait, and their order of precedence.
 *
 * Readers are pure and strict: a value that is not exactly of its documented form counts as
 * absent, and the next header is asked. What is read is a wish, from outside: the policy's hint rule bounds it.
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
 * // What is not exactly of its form counts as absent, and the next header is asked.
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
  /** What to call it, such as `retry-after`. */
  readonly name: string
  /**
   * The wait in milliseconds, from 0 to `Infinity`, or `undefined` where the headers do not say.
   *
   * `nowMillis` is the time by the server's clock, in milliseconds since 1970; `NaN` where it is not known.
   */
  readonly read: (headers: Headers.Headers, nowMillis: number) => number | undefined
}

/**
 * What the headers ask for.
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

/** A limit's headers: when it resets, and what is left of it. */
type Limit = readonly [reset: string, remaining: string]

/** The longest wait for an exhausted limit. Resets come with every response: one with quota left says nothing. */
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
 * gRPC waits exactly that long, and its back-off starts over then: `Hint.override({ startsOver: true, … })`.
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback".
 *
 * @category constructors
 */
export const grpcRetryPushback: HintHeader = /*#__PURE__*/ ofOne("grpc-retry-pushback-ms", ResetDialects.int32Millis)

/**
 * `retry-after-ms`: milliseconds, also with a fraction.
 *
 * Sources: https://github.com/Azure/AppConfiguration, docs/REST/throttling.md; https://github.com/openai/openai-node,
 * src/client.ts at 7b7d6ca (2026-08-21), which asks it before `retry-after`; read 2026-11-20.
 *
 * @category constructors
 */
export const retryAfterMs: HintHeader = /*#__PURE__*/ ofOne("retry-after-ms", RetryAfter.decimalMillis)

/**
 * `x-ms-retry-after-ms`: milliseconds, also with a fraction.
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

/** What a client makes of two lines with one header: a list. */
const firstOf = (value: string): string => /^(\d[\d.]*|[A-Z][^,]*,[^,]* GMT)[ \t]*,/.exec(value)?.[1] ?? value

/**
 * `retry-after`: seconds, also with a fraction, or an HTTP-date in any of its three forms.
 *
 * No other dates are read. Of two lines the first one counts, which is the one that node:http keeps:
 * https://nodejs.org/api/http.html#messageheaders.
 * Source: RFC 9110, section 10.2.3, https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3.
 *
 * @category constructors
 */
export const retryAfter: HintHeader = /*#__PURE__*/ ofOne("retry-after", (value, nowMillis) =>
  RetryAfter.parse(firstOf(value), nowMillis)
)

/**
 * `ratelimit`, with the windows of `ratelimit-policy`: the longest wait for a limit with `r=0`, its `t` or else the `w`
 * of the policy of its name.
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
 * `x-ratelimit-reset-requests`, `-tokens` and `-project-tokens`: durations such as `6m0s`, `20ms` and `1h2m3.5s`, where
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
 * `anthropic-ratelimit-requests-reset`, and of `tokens`, `input-tokens` and `output-tokens`: instants of RFC 3339,
 * where `anthropic-ratelimit-...-remaining` is absent or 0; the longest wait counts.
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
 * The header is that of the route's own limit: where `x-ratelimit-scope` is `global` or `shared`, or `x-ratelimit-global` is
 * `true`, another limit was exceeded, of which `retry-after` alone speaks.
 * Source: https://discord.com/developers/docs/topics/rate-limits, "Header Format".
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
 * `x-ratelimit-reset`, `x-rate-limit-reset` and `ratelimit-reset`, where `...-remaining` is absent or 0; the longest
 * wait counts.
 *
 * A number below 1e9 is the seconds to wait, as in older drafts of the IETF; below 1e12 the seconds since 1970, as
 * GitHub has it; from there on the milliseconds since 1970, as OpenRouter has it. Each can have a fraction. An HTTP-date
 * is read as well.
 * Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api, read 2026-11-20.
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
 * precedence" over `ratelimit` (section 7 of that draft), then what says when a limit resets.
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
 * The first of the headers with a valid value. What is past is a wait of 0.
 *
 * The time is that of the response's own `Date`, so that a clock that is wrong does no harm, and `clockMillis`, in
 * milliseconds since 1970, only where the response has no valid one. It may be `NaN`: then a header that needs the time
 * does not say.
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
