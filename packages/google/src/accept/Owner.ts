/**
 * Names the function that the caller called in refusals.
 */
import { InvalidArgument } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"

/** Runs a constructor; if it refuses an argument, the error names `owner` instead. */
export const calling = <A>(owner: string, make: () => A): A => {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InvalidArgument.InvalidArgument)) throw error
    return Argument.refuse(owner, error.field, error.allowed, error.value)
  }
}
