/**
 * Checks the answer of a store.
 */
import * as Option from "effect/Option"

/**
 * A list of `count` whole numbers that doubles hold exactly; clients return them as numbers, bigints or decimal text.
 */
export const numbers = (answer: unknown, count: number): Option.Option<ReadonlyArray<number>> => {
  if (!Array.isArray(answer) || answer.length !== count) return Option.none()
  const read = answer.map(number)
  return read.every(Number.isSafeInteger) ? Option.some(read) : Option.none()
}

/** A text and a whole number. */
export const textAndNumber = (answer: unknown): Option.Option<readonly [text: string, number: number]> => {
  if (!Array.isArray(answer) || answer.length !== 2) return Option.none()
  const text: unknown = answer[0]
  const read = number(answer[1])
  return typeof text === "string" && Number.isSafeInteger(read) ? Option.some([text, read]) : Option.none()
}

const number = (value: unknown): number => {
  if (typeof value === "number") return value
  return typeof value === "bigint" || (typeof value === "string" && /^-?\d{1,16}$/.test(value)) ? Number(value) : NaN
}
