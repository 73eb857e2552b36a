/** Errors of any size, and what they are shown with. */
import * as Logger from "effect/Logger"

/** For doors that only look at the length of the text. */
export const one: ReadonlyArray<string> = ["a"]

/** An error with a text in every place. */
export const errorOf = (text: string): Error => {
  const error = new Error(text, { cause: new Error(text) })
  const fields = { name: text, code: text, _tag: text, status: text, statusCode: text, reason: text, stack: text }
  return Object.assign(error, fields, { errors: [new Error(text)], headers: { a: text }, host: text, hostname: text })
}

/** The stack of an error costs more than the error. */
const made = (message: string, cause: unknown): Error => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 2
  const error = cause === undefined ? new Error(message) : new Error(message, { cause })
  Error.stackTraceLimit = limit
  return error
}

export const chainOf = (length: number, message: string): Error => {
  let error = made(message, undefined)
  for (let at = 1; at < length; at++) error = made(message, error)
  return error
}

export const wide = (length: number): Error =>
  new AggregateError(
    Array.from({ length }, (_, at) => made(`a ${at}`, undefined)),
    "all failed"
  )

/** Two errors in each. */
export const allOf = (length: number): Error =>
  length <= 1 ? made("a", undefined) : new AggregateError([allOf(length >> 1), allOf(length >> 1)], "both failed")

export const keyed = (length: number): Error =>
  Object.assign(made("a", undefined), Object.fromEntries(Array.from({ length }, (_, at) => [`a${at}`, at])))

/** What a function refuses is an outcome as well. */
export const outcome = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error
    return error
  }
}

/** Formats log lines, and prints none. */
export const silent = Logger.replace(
  Logger.defaultLogger,
  Logger.map(Logger.stringLogger, () => {})
)
