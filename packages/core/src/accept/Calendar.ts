/**
 * Instants from the parts of a date in the Gregorian calendar. Pure: reads neither the clock nor the machine's time zone.
 *
 * First stage of the flow.
 */

/** The parts of a date as written; any numbers. */
export interface Parts {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** How far the written time is ahead of UTC, in minutes. @default 0 */
  readonly aheadMinutes?: number | undefined
}

const dayMillis = 86_400_000

/** The mean length of a year, in milliseconds. */
export const yearMillis = 365.2425 * dayMillis

/**
 * Milliseconds since 1970, or `undefined` if there is no such date or time of day.
 *
 * A leap second is only valid in the last minute of a UTC day, and is the same instant as the second after it.
 */
export const instant = (parts: Parts): number | undefined => {
  const { aheadMinutes = 0, day, hour, minute, month, second, year } = parts
  const minutes = hour * 60 + minute - aheadMinutes
  const isLastMinute = (minutes + 1) % 1440 === 0
  const isValid =
    isWithin(year, 0, 9999) &&
    isWithin(month, 1, 12) &&
    isWithin(day, 1, lengthOf(year, month)) &&
    isWithin(hour, 0, 23) &&
    isWithin(minute, 0, 59) &&
    isWithin(second, 0, isLastMinute ? 60 : 59)
  return isValid ? dayNumber(year, month, day) * dayMillis + (minutes * 60 + second) * 1000 : undefined
}

const isWithin = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max

const lengthOf = (year: number, month: number): number => {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Days since 1970-01-01. Years are counted from March, so that a leap day is the last day of its year. */
const dayNumber = (year: number, month: number, day: number): number => {
  const years = month > 2 ? year : year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  const ofYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return years * 365 + leapDays + ofYear - 719_468
}
