/**
 * The numbers that a store is asked with: whole, and so small that doubles count exactly.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"

/** The numbers, or an `InvalidArgument` in the name of the store where a number of tokens gives another one. */
export const numbers = (owner: string, ...values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value) => (Number.isSafeInteger(value) ? value : refuse(owner, value)))

const refuse = (owner: string, value: number): never =>
  Argument.refuse(owner, "tokens", "a number of tokens that whole microseconds can count", value)
