/**
 * Checks of options before any of them is read.
 */
import * as Argument from "@effect-retry/core/Argument"
import { Predicate } from "effect"

/**
 * Answers `options` where they are a record.
 *
 * @category guards
 */
export const check = <A extends object>(owner: string, options: A): A =>
  Predicate.isRecord(options) ? options : Argument.refuse(owner, "options", "a record of options", options)
