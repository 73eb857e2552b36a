/**
 * The formats in which vendors write when a limit resets.
 */
import * as Calendar from "@effect-retry/core/unstable/Calendar"
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"
import * as Wait from "./Wait.ts"

/** Whether nothing is left: `0`, possibly with decimal zeros, as Reddit writes it. */
export const isExhausted = (remaining: string): boolean => /^0+(?:\.0+)?$/.test(remaining)

const decimal = /^\d+(?:\.\d+)?$/

/** 2001-09-09 in epoch seconds, 31 years as seconds to wait. */
const leastEpochSeconds = 1e9

/** 2001-09-09 in epoch milliseconds, the year 33658 in epoch seconds. */
const leastEpochMillis = 1e12

/**
 * A number whose magnitude gives its meaning: seconds to wait below 1e9, seconds since 1970 below 1e12, and
 * milliseconds since 1970 from there on. A value that is no number may be an HTTP-date.
 *
 * Sources: seconds to wait, `RateLimit-Reset` up to draft-ietf-httpapi-ratelimit-headers-06, section 3.4; epoch
 * seconds, GitHub, https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api; epoch milliseconds,
 * OpenRouter, as handled in https://github.com/everruns/everruns/pull/2280; dates, `ky` 1.14.3, source/core/Ky.ts,
 * which reads them in reset headers as in `Retry-After`.
 */
export const byMagnitude = (reset: string, nowMillis: number): number | undefined => {
  if (!decimal.test(reset)) {
    const at = HttpDate.parse(reset, nowMillis)
    return at === undefined ? undefined : Wait.until(at, nowMillis)
  }
  const value = Number(reset)
  if (value < leastEpochSeconds) return value * 1000
  return Wait.until(value < leastEpochMillis ? value * 1000 : value, nowMillis)
}

/** Seconds, possibly with a fraction. */
export const seconds = (reset: string): number | undefined => (decimal.test(reset) ? Number(reset) * 1000 : undefined)

/** Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback". */
const greatestInt32 = 2 ** 31 - 1

/** Milliseconds as a signed 32-bit integer without leading zeros; `undefined` if it is negative or malformed. */
export const int32Millis = (value: string): number | undefined =>
  /^(?:0|[1-9]\d{0,9})$/.test(value) && Number(value) <= greatestInt32 ? Number(value) : undefined

const units = /^(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/

/**
 * Hours, minutes, seconds and milliseconds, in this order and each at most once, such as `6m0s`, `20ms` and `1h2m3.5s`.
 * Seconds and milliseconds may have a fraction.
 *
 * Source: https://platform.openai.com/docs/guides/rate-limits, "Rate limits in headers".
 */
export const duration = (reset: string): number | undefined => {
  const parts = units.exec(reset)
  if (parts === null) return undefined
  const [hours, minutes, seconds, millis] = parts.slice(1).map((part) => (part === undefined ? 0 : Number(part)))
  return (hours ?? 0) * 3_600_000 + (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1000 + (millis ?? 0)
}

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/**
 * The wait until an instant of RFC 3339.
 *
 * Source: RFC 3339, section 5.6, https://www.rfc-editor.org/rfc/rfc3339#section-5.6.
 */
export const untilDateTime = (reset: string, nowMillis: number): number | undefined => {
  const parts = dateTime.exec(reset)
  if (parts === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
  const ahead = Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0)
  const aheadMinutes = parts[8] === "-" ? -ahead : ahead
  const at = Calendar.instant({ year, month, day, hour, minute, second, aheadMinutes })
  return at === undefined ? undefined : Wait.until(at + Number(parts[7] ?? 0) * 1000, nowMillis)
}
