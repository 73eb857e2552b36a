/**
 * Reads what a response says about the server's limits: how many requests are left, and when there are more.
 *
 * Reads every dialect of `HintHeader.standard`, even while requests are left.
 */
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"
import type * as Headers from "@effect/platform/Headers"
import { readable } from "./HeaderText.ts"
import type { RateLimit } from "./RateLimit.ts"
import * as RateLimitFields from "./RateLimitFields.ts"
import * as ResetDialects from "./ResetDialects.ts"

interface Dialect {
  readonly limit: string
  readonly remaining: string
  readonly reset: string
  readonly parse: (reset: string, nowMillis: number) => number | undefined
}

const parted = (prefix: string, part: string, parse: Dialect["parse"]): Dialect => ({
  limit: `${prefix}-limit${part}`,
  remaining: `${prefix}-remaining${part}`,
  reset: `${prefix}-reset${part}`,
  parse
})

const anthropic = (part: string): Dialect => ({
  limit: `anthropic-ratelimit-${part}-limit`,
  remaining: `anthropic-ratelimit-${part}-remaining`,
  reset: `anthropic-ratelimit-${part}-reset`,
  parse: ResetDialects.untilDateTime
})

/** If two dialects share the `remaining` header, the first one that can be read counts. Sources: see `HintHeader`. */
const dialects: ReadonlyArray<Dialect> = [
  ...["-requests", "-tokens", "-project-tokens"].map((part) => parted("x-ratelimit", part, ResetDialects.duration)),
  ...["requests", "tokens", "input-tokens", "output-tokens"].map(anthropic),
  { ...parted("x-ratelimit", "", ResetDialects.seconds), reset: "x-ratelimit-reset-after" },
  ...["x-ratelimit", "x-rate-limit", "ratelimit"].map((prefix) => parted(prefix, "", ResetDialects.byMagnitude))
]

/**
 * Headers that say which of a server's limits a response describes.
 *
 * Sources: GitHub, https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api; Discord,
 * https://discord.com/developers/docs/topics/rate-limits, "Header Format".
 */
const parts = ["x-ratelimit-resource", "x-ratelimit-bucket"]

/**
 * All limits of a response; empty if the headers do not say how many requests are left and when there are more.
 *
 * The current time is taken from the response's own `Date`, or from `clockMillis` if it has none.
 */
export const read = (headers: Headers.Headers, clockMillis: number): ReadonlyArray<RateLimit> => {
  const field = readable(headers, "ratelimit")
  const ofFields = field === undefined ? [] : RateLimitFields.limits(field, readable(headers, "ratelimit-policy"))
  const found = new Map(ofFields.map((limit) => [limit.name, limit]))
  const part = parts.flatMap((header) => readable(headers, header) ?? [])[0]
  for (const dialect of dialects) {
    if (headers[dialect.remaining] === undefined || found.has(dialect.remaining)) continue
    const limit = readDialect(dialect, headers, clockMillis)
    if (limit !== undefined)
      found.set(dialect.remaining, part === undefined ? limit : { ...limit, name: `${limit.name} ${part}` })
  }
  return [...found.values()]
}

const readDialect = (dialect: Dialect, headers: Headers.Headers, clockMillis: number): RateLimit | undefined => {
  const remaining = count(readable(headers, dialect.remaining))
  const reset = readable(headers, dialect.reset)
  if (remaining === undefined || reset === undefined) return undefined
  const date = readable(headers, "date")
  const nowMillis = (date === undefined ? undefined : HttpDate.parse(date, clockMillis)) ?? clockMillis
  const resetMillis = dialect.parse(reset, nowMillis)
  if (resetMillis === undefined || !Number.isFinite(resetMillis)) return undefined
  return {
    name: dialect.remaining,
    remaining,
    resetMillis,
    unitMillis: /\.\d|ms$/.test(reset) || /^\d{13,}$/.test(reset) ? 1 : 1000,
    limit: count(/^[\d.]+/.exec(readable(headers, dialect.limit) ?? "")?.[0]),
    windowMillis: undefined
  }
}

/** A number of requests; Reddit writes it with a fraction. */
const count = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d{1,15}(?:\.\d+)?$/.test(value) ? Math.floor(Number(value)) : undefined
