/**
 * Dates as a server writes them into `Date`: only the form that RFC 9110 has servers send.
 *
 * First stage of the flow. Pure and strict: a day of the week that does not fit, or a date that does not exist, is none.
 */

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** From the first day of 1970 on. */
const weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

const dayMillis = 86_400_000

/** Years from 1970 on: no server's clock is right before. */
const form =
  /^(?<weekday>[A-Z][a-z]{2}), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>19[7-9]\d|[2-9]\d{3}) (?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d) GMT$/

/**
 * Milliseconds since 1970 of an IMF-fixdate such as `Fri, 20 Nov 2026 00:00:00 GMT`; `undefined` for anything else.
 *
 * Source: RFC 9110, section 5.6.7, https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7.
 *
 * @category constructors
 */
export const parse = (value: string): number | undefined => {
  const groups = form.exec(value)?.groups
  if (groups === undefined) return undefined
  const { hour, minute, second, weekday } = groups
  const day = Number(groups["day"])
  const [year, month] = [Number(groups["year"]), months.indexOf(groups["month"] ?? "")]
  const startMillis = Date.UTC(year, month, 1)
  const dayCount = (Date.UTC(year, month + 1, 1) - startMillis) / dayMillis
  const days = startMillis / dayMillis + day - 1
  if (month < 0 || day < 1 || day > dayCount || weekdays[days % 7] !== weekday) return undefined
  return days * dayMillis + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000
}
