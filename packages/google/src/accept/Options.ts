/**
 * Checks of options before any of them is read.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Predicate from "effect/Predicate"

/** Returns `options`, or throws if they are not a record. */
export const check = <A extends object>(owner: string, options: A): A =>
  Predicate.isRecord(options) ? options : Argument.refuse(owner, "options", "a record of options", options)

/** Throws if `given` has a field that its type does not have. */
export const checkFields = <A extends object>(
  owner: string,
  given: A,
  fields: { readonly [Field in keyof A]-?: true }
): void => Argument.fields(owner, given, Object.keys(fields), "options")
