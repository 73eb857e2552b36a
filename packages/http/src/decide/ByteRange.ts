/**
 * The bytes that a caller asks for with its own `Range`.
 * Source: RFC 9110, sections 14.1 and 14.2, https://www.rfc-editor.org/rfc/rfc9110#section-14.2.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import type { ContentRange } from "../classify/ContentRange.ts"

/** From `start` to `end`, the position after the last byte; or the last `suffix` bytes. */
export type ByteRange =
  | { readonly start: number; readonly end: number | undefined }
  | { readonly start?: never; readonly suffix: number }

const form = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/i

/**
 * The range in a header, `undefined` without one. Throws if it is not a single range of bytes: an answer in several
 * parts cannot be resumed.
 */
export const parse = (owner: string, value: string | undefined): ByteRange | undefined => {
  if (value === undefined) return undefined
  const [, first, last, suffix] = form.exec(value.trim()) ?? []
  if (suffix !== undefined) return { suffix: Number(suffix) }
  const start = Number(first)
  const end = last === undefined ? undefined : Number(last) + 1
  return first !== undefined && (end === undefined || start < end)
    ? { start, end }
    : Argument.refuse(owner, "request.headers.range", "one range of bytes", value)
}

/**
 * Where the wanted bytes end, if `part` is what was asked for, or the beginning of it; `"Other"` otherwise. A part of a
 * whole of unknown length ends where it says.
 */
export const endOf = (asked: ByteRange, part: ContentRange): number | "Other" => {
  const { end, start, total } = part
  if (asked.start === undefined) {
    return total !== undefined && start === Math.max(0, total - asked.suffix) ? total : "Other"
  }
  const askedEnd = asked.end ?? Infinity
  if (start !== asked.start || end > askedEnd) return "Other"
  return Math.min(askedEnd, total ?? asked.end ?? end)
}
