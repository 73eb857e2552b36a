/**
 * Checks of options before any of them is read.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Predicate from "effect/Predicate"

/** Answers `options` where they are a record. */
export const check = <A extends object>(owner: string, options: A): A =>
  Predicate.isRecord(options) ? options : Argument.refuse(owner, "options", "a record of options", options)

/** Throws where `given` has another field than those of its type. */
export const checkFields = <A extends object>(
  owner: string,
  given: A,
  fields: { readonly [Field in keyof A]-?: true }
): void => Argument.fields(owner, given, Object.keys(fields), "options")
