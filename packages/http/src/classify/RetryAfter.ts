/**
 * Waits as `Retry-After` and the headers of vendors with milliseconds write them.
 *
 * First stage of the flow.
 */
import * as HttpDate from "@effect-retry/core/HttpDate"
import * as Wait from "./Wait.ts"

/**
 * `delay-seconds = 1*DIGIT`, or an HTTP-date. So many digits that no number holds them are `Infinity`.
 *
 * Source: RFC 9110, section 10.2.3, https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3.
 *
 * @category constructors
 */
export const parse = (value: string, nowMillis: number): number | undefined => {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = HttpDate.parse(value, nowMillis)
  return at === undefined ? undefined : Wait.until(at, nowMillis)
}

/**
 * Milliseconds, `1*DIGIT`.
 *
 * @category constructors
 */
export const wholeMillis = (value: string): number | undefined => (/^\d+$/.test(value) ? Number(value) : undefined)

/**
 * Milliseconds, `1*DIGIT [ "." 1*DIGIT ]`.
 *
 * @category constructors
 */
export const decimalMillis = (value: string): number | undefined =>
  /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined
