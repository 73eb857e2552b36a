/**
 * Times, texts and errors as people read them in messages, log lines and spans.
 *
 * What an error says comes from outside: it is bounded, and reading it never throws.
 */
import * as Duration from "effect/Duration"

/**
 * A time in words: `340 ms`, `1.2 s`, `2 min 5 s`, `3 h 20 min`, `4 d 6 h`. Rounded to the last place that is shown.
 *
 * @category conversions
 */
export const time = (given: Duration.Duration): string => {
  const millis = Duration.toMillis(given)
  if (millis === Infinity) return "an endless time"
  if (millis < 9.95) return `${rounded(millis, 1)} ms`
  if (millis < 999.5) return `${Math.round(millis)} ms`
  if (millis < 59_950) return `${rounded(millis / 1000, 1)} s`
  const seconds = Math.round(millis / 1000)
  if (seconds < 3600) return inUnits(seconds, 60, "min", "s")
  const minutes = Math.round(seconds / 60)
  return minutes < 1440 ? inUnits(minutes, 60, "h", "min") : inUnits(Math.round(minutes / 60), 24, "d", "h")
}

const inUnits = (amount: number, size: number, unit: string, smaller: string): string => {
  const rest = amount % size
  return `${Math.floor(amount / size)} ${unit}${rest === 0 ? "" : ` ${rest} ${smaller}`}`
}

/**
 * A number without floating-point error.
 *
 * @category conversions
 */
export const rounded = (value: number, places = 3): number => Math.round(value * 10 ** places) / 10 ** places

/** The longest text of an error that is shown: an error may carry a whole document. */
const longest = 200

/**
 * A text from outside, bounded. No surrogate pair is cut in half.
 *
 * @category conversions
 */
export const cut = (text: string): string => text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")

/**
 * A text from outside as a part of one line: bounded, and with a blank in place of line breaks and other control
 * characters.
 *
 * @category conversions
 */
export const inLine = (text: string): string => cut(text).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]+/gu, " ")

/**
 * The type of an error: its `_tag`, or the name of its class.
 *
 * @category conversions
 */
export const typeOf = (error: unknown): string => {
  if (typeof error !== "object") return typeof error
  const tag = property(error, "_tag")
  if (typeof tag === "string") return cut(tag)
  const name = property(property(error, "constructor"), "name")
  return typeof name === "string" ? cut(name) : "object"
}

/**
 * The message of an `Error`; empty for anything else.
 *
 * @category conversions
 */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ""
  const message = property(error, "message")
  return message === undefined || typeof message === "object" ? "" : cut(String(message))
}

/**
 * How an attempt ended, where nothing but its error is known: the type of the error and, in quotation marks, its message.
 *
 * @category conversions
 */
export const outcome = (error: unknown): string => {
  const type = typeOf(error)
  if (type === "ResultRejected") return "a rejected result"
  const message = messageOf(error)
  return message === "" ? type : `${type} ${JSON.stringify(message)}`
}

const property = (value: unknown, key: string): unknown => {
  try {
    return (value as { readonly [key: string]: unknown })[key]
  } catch {
    // What has no properties, or none that can be read, says nothing.
    return undefined
  }
}
