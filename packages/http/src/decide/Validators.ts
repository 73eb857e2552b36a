/**
 * What names the version of a representation, so that the rest of a download is of the same one.
 *
 * Second stage of the flow.
 */
import * as HttpDate from "../classify/HttpDate.ts"

type Headers = { readonly [name: string]: string | undefined }

/**
 * A strong `ETag`; `undefined` for a weak one, which two versions can share.
 *
 * Source: RFC 9110, section 8.8.3, https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.
 *
 * @category destructors
 */
export const strongTag = (headers: Headers): string | undefined => {
  const tag = headers["etag"]?.trim() ?? ""
  return /^"[!#-~\u0080-\u00ff]*"$/.test(tag) ? tag : undefined
}

/** The resolution of dates in HTTP. */
const resolutionMillis = 1000

/**
 * A `Last-Modified` that no two versions share: the response has no `ETag`, and was made at least a second later.
 *
 * Sources: RFC 9110, sections 8.8.2.2 and 13.1.5, https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5.
 *
 * @category destructors
 */
export const strongDate = (headers: Headers): string | undefined => {
  const { date, "last-modified": modified } = headers
  if (modified === undefined || date === undefined || headers["etag"] !== undefined) return undefined
  const modifiedMillis = HttpDate.parse(modified, NaN)
  const dateMillis = HttpDate.parse(date, NaN)
  const isStrong =
    modifiedMillis !== undefined && dateMillis !== undefined && dateMillis - modifiedMillis >= resolutionMillis
  return isStrong ? modified : undefined
}
