/**
 * Reads which bytes of a representation an answer contains.
 *
 * A header that does not have exactly the standard form counts as absent.
 *
 * Source: RFC 9110, section 14.4, https://www.rfc-editor.org/rfc/rfc9110#section-14.4.
 */

export interface ContentRange {
  /** The position of the first byte, from 0. */
  readonly start: number
  /** The position after the last byte. */
  readonly end: number
  /** The length of the whole; `undefined` if the server does not know it. */
  readonly total: number | undefined
}

/** Up to fifteen digits, because every such number is exact. */
const form = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i

/** `bytes 500-999/8000`; `undefined` for any other form, or for a part that lies outside the whole. */
export const parse = (value: string | undefined): ContentRange | undefined => {
  const [, first, last, length] = form.exec(value?.trim() ?? "") ?? []
  // Without a match they are NaN, which is below nothing.
  const start = Number(first)
  const end = Number(last) + 1
  const total = length === "*" ? undefined : Number(length)
  return start < end && (total === undefined || end <= total) ? { start, end, total } : undefined
}

/** The header of an answer that contains no byte of the range. */
const unsatisfied = /^bytes \*\/(\d{1,15})$/i

/**
 * The length of the whole from `bytes *\/8000`, the form of an answer with status 416; `undefined` for any other form.
 */
export const wholeOf = (value: string | undefined): number | undefined => {
  const length = unsatisfied.exec(value?.trim() ?? "")?.[1]
  return length === undefined ? undefined : Number(length)
}

/** A `Content-Length`, in bytes; `undefined` if it is not valid. */
export const lengthOf = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d{1,15}$/.test(value.trim()) ? Number(value) : undefined
