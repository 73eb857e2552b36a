/**
 * Values of headers, bounded and without surrounding blanks.
 */
import type * as Headers from "@effect/platform/Headers"
import * as Predicate from "effect/Predicate"

/** A longer value counts as absent: no header read here needs more, and this bounds the work on hostile values. */
const longestValue = 1024

const isReadable = (value: string | undefined): value is string =>
  Predicate.isString(value) && value.length <= longestValue

/**
 * Blanks around a value are not part of it, and not every client removes them.
 * Source: RFC 9110, section 5.5, https://www.rfc-editor.org/rfc/rfc9110#section-5.5.
 */
export const readable = (headers: Headers.Headers, name: string): string | undefined => {
  const value = headers[name]
  return isReadable(value) ? trimmed(value) : undefined
}

const trimmed = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value[start])) start++
  while (start < end && isBlank(value[end - 1])) end--
  return value.slice(start, end)
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"
