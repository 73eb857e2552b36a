/**
 * The numbers in requests to a store: whole, and small enough that doubles hold them exactly.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"

/** Checks numbers; throws an `InvalidArgument` in the store's name for any other number. */
export const numbers = (owner: string, ...values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value) => (Number.isSafeInteger(value) ? value : refuse(owner, value)))

const refuse = (owner: string, value: number): never =>
  Argument.refuse(owner, "tokens", "a number of tokens that whole microseconds can count", value)
