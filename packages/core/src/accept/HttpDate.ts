/**
 * Dates as HTTP writes them, for the packages that read headers.
 *
 * First stage of the flow. All three forms of the grammar are read, and nothing else: case, spaces and the number of
 * digits matter. The name of the day must be one that the form allows, but is not compared with the date. A leap
 * second, `23:59:60`, is the instant of the second after it. Every form has a fixed length, so a text is read in
 * bounded time.
 *
 * Source: RFC 9110, section 5.6.7, https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7.
 */
import * as Calendar from "./Calendar.ts"

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const dayName = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
const longDayName = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
const month = `(?<month>${months.join("|")})`
const time = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`

const forms = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(String.raw`^${dayName}, (?<day>\d\d) ${month} (?<year>\d{4}) ${time} GMT$`),
  // rfc850-date: Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(String.raw`^${longDayName}, (?<day>\d\d)-${month}-(?<shortYear>\d\d) ${time} GMT$`),
  // asctime-date: Sun Nov  6 08:49:37 1994
  new RegExp(String.raw`^${dayName} ${month} (?<day>\d\d| \d) ${time} (?<year>\d{4})$`)
]

/**
 * Milliseconds since 1970, or `undefined` for what is not an HTTP-date.
 *
 * A two-digit year is the latest one that puts the date no more than 50 mean years after `nowMillis`; if that is `NaN` or
 * infinite, such a date is invalid.
 */
export const parse = (value: string, nowMillis: number): number | undefined => {
  for (const form of forms) {
    const groups = form.exec(value)?.groups
    if (groups !== undefined) return fromGroups(groups, nowMillis)
  }
  return undefined
}

const fromGroups = (groups: { readonly [name: string]: string | undefined }, nowMillis: number): number | undefined => {
  const inYear = (year: number) =>
    Calendar.instant({
      year,
      month: months.findIndex((name) => name === groups["month"]) + 1,
      day: Number(groups["day"]),
      hour: Number(groups["hour"]),
      minute: Number(groups["minute"]),
      second: Number(groups["second"])
    })
  const { shortYear, year } = groups
  return shortYear === undefined ? inYear(Number(year)) : inLatestYear(Number(shortYear), inYear, nowMillis)
}

const inLatestYear = (
  shortYear: number,
  inYear: (year: number) => number | undefined,
  nowMillis: number
): number | undefined => {
  const century = Math.floor((1970 + nowMillis / Calendar.yearMillis) / 100) * 100
  return [century + 100, century, century - 100]
    .map((start) => inYear(start + shortYear))
    .find((at) => at !== undefined && at <= nowMillis + 50 * Calendar.yearMillis)
}
