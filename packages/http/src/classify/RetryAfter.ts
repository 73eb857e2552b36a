/**
 * The formats of waits in `Retry-After` and in vendors' headers with milliseconds.
 */
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"
import * as ResetDialects from "./ResetDialects.ts"
import * as Wait from "./Wait.ts"

/**
 * Seconds, or an HTTP-date. More digits than a number can hold are `Infinity`.
 *
 * The grammar is `delay-seconds = 1*DIGIT`; a fraction is read as well, because servers send it.
 * Source: RFC 9110, section 10.2.3, https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3.
 */
export const parse = (value: string, nowMillis: number): number | undefined => {
  const wait = ResetDialects.seconds(value)
  if (wait !== undefined) return wait
  const at = HttpDate.parse(value, nowMillis)
  return at === undefined ? undefined : Wait.until(at, nowMillis)
}

/** Milliseconds, `1*DIGIT`. */
export const wholeMillis = (value: string): number | undefined => (/^\d+$/.test(value) ? Number(value) : undefined)

/** Milliseconds, `1*DIGIT [ "." 1*DIGIT ]`. */
export const decimalMillis = (value: string): number | undefined =>
  /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined
