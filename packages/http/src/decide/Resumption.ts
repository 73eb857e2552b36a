/**
 * Decides which bytes an answer to a download contains, and whether they may follow the bytes received so far.
 *
 * Two versions are never mixed: anything that is not certainly the rest of the same bytes is refused.
 *
 * Source: RFC 9110, sections 13.1 and 14, https://www.rfc-editor.org/rfc/rfc9110#section-14.
 */
import * as ContentRange from "../classify/ContentRange.ts"
import * as ByteRange from "./ByteRange.ts"

/** Why a download cannot continue. */
export type Refusal =
  /** The body broke, and the first answer does not allow a request for the rest. */
  | { readonly _tag: "NotResumable"; readonly why: string }
  /** The server now has another version. */
  | { readonly _tag: "OtherVersion"; readonly why: string }
  /** The server does not send the requested bytes. */
  | { readonly _tag: "RangeRefused"; readonly why: string }
  /** The server sent bytes other than the requested ones, or did not say which. */
  | { readonly _tag: "WrongPart"; readonly why: string }

/** The relevant parts of an answer. Names of headers are in lower case. */
export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
}

/** The bytes of an answer. An end is the position after the last byte. */
export interface Part {
  readonly start: number
  /** Where the answer ends; `undefined` if only the end of its body shows it. */
  readonly end: number | undefined
  /** Where the wanted bytes end. */
  readonly until: number | undefined
  /** The length of the whole. */
  readonly total: number | undefined
}

/** All bytes have been received. */
export interface Whole {
  readonly _tag: "Whole"
}

/** A part, or why there is none. */
export type Decision = { readonly _tag: "Part"; readonly part: Part } | Refusal

const wrong = (why: string): Refusal => ({ _tag: "WrongPart", why })
const part = (of: Part): Decision => ({ _tag: "Part", part: of })

/** The bytes of a first answer, to a request with or without a range of the caller. */
export const first = (answer: Answer, asked: ByteRange.ByteRange | undefined): Decision => {
  if (asked === undefined) {
    if (answer.status === 206) return wrong("a part that was not asked for")
    const total = whyCoded(answer) === undefined ? ContentRange.lengthOf(answer.headers["content-length"]) : undefined
    return part({ start: 0, end: total, until: total, total })
  }
  if (answer.status !== 206) return { _tag: "RangeRefused", why: `status ${answer.status} instead of the range` }
  const found = rangeOf(answer)
  if (typeof found === "string") return wrong(found)
  const until = ByteRange.endOf(asked, found)
  return until === "Other" ? wrong("another range than the one asked for") : part({ ...found, until })
}

/**
 * The bytes of an answer to a request for the rest, from `position` on. `isSame` says whether it has the same version
 * (`undefined` if unknown), `isPart` whether its status 200 should be read as 206.
 */
export const rest = (
  answer: Answer,
  { position, total, until }: { readonly position: number } & Pick<Part, "total" | "until">,
  isSame: boolean | undefined,
  isPart = false
): Decision | Whole => {
  const { status } = answer
  if (status === 412) return { _tag: "OtherVersion", why: "status 412" }
  if (status !== 206 && !(status === 200 && isPart)) {
    if (status === 200 && isSame === false) return { _tag: "OtherVersion", why: "status 200 with another validator" }
    return position === (until ?? position) && isEnd(answer, position) && isSame !== false
      ? { _tag: "Whole" }
      : { _tag: "RangeRefused", why: `status ${status} instead of the rest` }
  }
  const found = rangeOf(answer)
  if (typeof found === "string") return wrong(found)
  if (isSame === false) return { _tag: "OtherVersion", why: "a part with another validator" }
  if (total !== undefined && found.total !== undefined && found.total !== total) {
    return { _tag: "OtherVersion", why: "a part of a whole of another length" }
  }
  if (isSame === undefined) return wrong("a part that does not say of which version it is")
  if (found.start !== position) return wrong("a part that begins elsewhere")
  const end = until ?? found.total
  if (end === undefined) return wrong("a part of a whole of unknown length")
  return found.end > end
    ? wrong("a part that is too long")
    : part({ ...found, until: end, total: total ?? found.total })
}

/**
 * Whether all bytes were received, and the body broke after them but before its end. An end given by an earlier answer
 * stands, even after a refusal. A server evaluates `If-Match` and `If-Range` before it refuses a range: RFC 9110,
 * section 13.2.2.
 */
const isEnd = ({ headers, status }: Answer, position: number): boolean =>
  status === 416 && ContentRange.wholeOf(headers["content-range"]) === position

/** Whether a status refuses the rest: 412 because the version differs, 416 because there are no such bytes. */
export const isRefusal = (status: number): boolean => status === 412 || status === 416

const rangeOf = (answer: Answer): ContentRange.ContentRange | string => {
  const { headers } = answer
  if (/^\s*multipart\/byteranges/i.test(headers["content-type"] ?? "")) return "several parts in one body"
  const coded = whyCoded(answer)
  if (coded !== undefined) return coded
  return ContentRange.parse(headers["content-range"]) ?? "a part without a valid Content-Range"
}

/** Why the bytes of a body may differ from those that ranges count: a client may decode it, or have decoded it. */
const whyCoded = ({ headers }: Answer): string | undefined => {
  if (!isNone(headers["content-encoding"], "identity")) return "a content coding"
  return isNone(headers["transfer-encoding"], "chunked") ? undefined : "a transfer coding"
}

const isNone = (value: string | undefined, none: string): boolean =>
  value === undefined || value.trim() === "" || value.trim().toLowerCase() === none

/** Why the rest of a first answer cannot be requested, whatever its validators; `undefined` if it can. */
export const whyNotResumable = (method: string, answer: Answer): string | undefined => {
  if (method !== "GET") return `${method} has no ranges`
  if (answer.status !== 200 && answer.status !== 206) return `status ${answer.status} has no ranges`
  const accepted = answer.headers["accept-ranges"]
  if (accepted !== undefined && !/(^|[\s,])bytes([\s,]|$)/i.test(accepted))
    return "the server accepts no ranges of bytes"
  return whyCoded(answer)
}
