/**
 * Formats times, numbers and texts for messages, log lines and spans.
 */
import * as Duration from "effect/Duration"
import * as Untrusted from "../../accept/Untrusted.ts"

/**
 * A time in words: `340 ms`, `1.2 s`, `2 min 5 s`, `3 h 20 min`, `4 d 6 h`. Rounded to the last digit shown.
 *
 * Errors and timelines show their times with `Duration.format` instead, which rounds nothing: `1s 234ms`.
 */
export const time = (given: Duration.Duration): string => {
  const millis = Duration.toMillis(given)
  if (millis === Infinity) return "an endless time"
  if (millis < 9.95) return `${rounded(millis, 10)} ms`
  if (millis < 999.5) return `${Math.round(millis)} ms`
  if (millis < 59_950) return `${rounded(millis / 1000, 10)} s`
  const seconds = Math.round(millis / 1000)
  if (seconds < 3600) return inUnits(seconds, 60, "min", "s")
  const minutes = Math.round(seconds / 60)
  return minutes < 1440 ? inUnits(minutes, 60, "h", "min") : inUnits(Math.round(minutes / 60), 24, "d", "h")
}

const inUnits = (amount: number, size: number, unit: string, smaller: string): string => {
  const rest = amount % size
  return `${Math.floor(amount / size)} ${unit}${rest === 0 ? "" : ` ${rest} ${smaller}`}`
}

/** A number without floating-point error, in thousandths or other parts. */
export const rounded = (value: number, parts = 1000): number => Math.round(value * parts) / parts

/**
 * A text from outside as part of one line: bounded, with blanks in place of line breaks and other control characters.
 */
export const inLine = (text: string): string => Untrusted.cut(text).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]+/gu, " ")
