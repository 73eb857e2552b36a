/**
 * Refusals in the name of the function that the caller called.
 */
import { InvalidArgument } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"

/** Runs a constructor; where it refuses an argument, `owner` is named in its place. */
export const calling = <A>(owner: string, make: () => A): A => {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InvalidArgument.InvalidArgument)) throw error
    return Argument.refuse(owner, error.field, error.allowed, error.value)
  }
}
