/**
 * Headers that identify the version of a representation, so that the rest of a download has the same version.
 */
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"

type Headers = { readonly [name: string]: string | undefined }

/**
 * A strong `ETag`; `undefined` for a weak one, which two versions may share.
 *
 * Source: RFC 9110, section 8.8.3, https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.
 */
export const strongTag = (headers: Headers): string | undefined => {
  const tag = valueOf(headers, "etag")
  return tag !== undefined && /^"[!#-~\u0080-\u00ff]*"$/.test(tag) ? tag : undefined
}

/** The value of a header; a blank one counts as absent. */
const valueOf = (headers: Headers, name: string): string | undefined => headers[name]?.trim() || undefined

/**
 * Whether a later answer has the same version as the first one, which has a strong `ETag`: by its own tag or, without
 * one, by `Last-Modified`; `undefined` if it has neither.
 */
export const isSameVersion = (first: Headers, later: Headers): boolean | undefined => {
  const tag = valueOf(later, "etag")
  if (tag !== undefined) return tag === valueOf(first, "etag")
  const [before, now] = [first, later].map((headers) => valueOf(headers, "last-modified"))
  return before === undefined || now === undefined ? undefined : before === now
}

/** The resolution of dates in HTTP. */
const resolutionMillis = 1000

/**
 * A `Last-Modified` that no two versions can share: the response has no `ETag`, and was made at least a second later.
 *
 * Sources: RFC 9110, sections 8.8.2.2 and 13.1.5, https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5.
 */
export const strongDate = (headers: Headers): string | undefined => {
  const { date = "", "last-modified": modified = "" } = headers
  const laterBy = (HttpDate.parse(date, NaN) ?? NaN) - (HttpDate.parse(modified, NaN) ?? NaN)
  return valueOf(headers, "etag") === undefined && laterBy >= resolutionMillis ? modified : undefined
}
