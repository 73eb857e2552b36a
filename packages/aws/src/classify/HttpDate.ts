/**
 * Dates as a server writes them into `Date`: only the form that RFC 9110 has servers send.
 *
 * First stage of the flow. Pure and strict: a day of the week that does not fit, or a date that does not exist, is none.
 */

/**
 * Milliseconds since 1970 of an IMF-fixdate such as `Fri, 20 Nov 2026 00:00:00 GMT`; `undefined` for anything else.
 *
 * Source: RFC 9110, section 5.6.7, https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7.
 *
 * @category constructors
 */
export const parse = (value: string): number | undefined => {
  if (value.length !== example.length) return undefined
  const millis = Date.parse(value)
  return !Number.isNaN(millis) && write(millis) === value ? millis : undefined
}

const example = "Fri, 20 Nov 2026 00:00:00 GMT"

const write = (millis: number): string => new Date(millis).toUTCString()
