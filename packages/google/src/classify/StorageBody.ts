/**
 * Reads the resource in the body of a request: the JSON, or the first part of a multipart upload.
 */
import type * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Property from "@effect-retry/core/unstable/Property"

/** A text field of the resource; `undefined` for a body that would have to be opened to be read. */
export const field = ({ body, headers }: HttpClientRequest.HttpClientRequest, name: string): string | undefined => {
  const boundary = boundaryOf(headers["content-type"] ?? contentTypeOf(body) ?? "")
  const text = boundary === undefined ? wholeOf(body) : firstPart(beginningOf(body), boundary)
  if (text?.trimStart().startsWith("{") !== true) return undefined
  try {
    return Property.text(JSON.parse(text), name)
  } catch {
    return undefined
  }
}

/** No policy, even with 1,500 principals, and no key is this long. */
const mostBytes = 1_048_576

const contentTypeOf = (body: HttpBody.HttpBody): string | undefined =>
  body._tag === "Empty" ? undefined : body.contentType

const wholeOf = (body: HttpBody.HttpBody): string | undefined =>
  lengthOf(body) <= mostBytes ? beginningOf(body) : undefined

const lengthOf = (body: HttpBody.HttpBody): number => {
  if (body._tag === "Uint8Array") return body.body.length
  return body._tag === "Raw" && typeof body.body === "string" ? body.body.length : 0
}

const beginningOf = (body: HttpBody.HttpBody): string | undefined => {
  if (body._tag === "Uint8Array") return new TextDecoder().decode(body.body.subarray(0, mostBytes))
  return body._tag === "Raw" && typeof body.body === "string" ? body.body.slice(0, mostBytes) : undefined
}

/**
 * The boundary of `multipart/related`, with or without quotes; at most 70 characters long.
 *
 * Sources: https://docs.cloud.google.com/storage/docs/json_api/v1/objects/insert, "Multipart upload", and RFC 2046, section
 * 5.1.1, https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1.
 */
const boundaryOf = (contentType: string): string | undefined => {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim())
  if (type.toLowerCase() !== "multipart/related") return undefined
  const given = parameters.find((parameter) => /^boundary=/i.test(parameter))?.slice("boundary=".length) ?? ""
  return /^"?([^"]{1,70})"?$/.exec(given)?.[1]
}

const firstPart = (text: string | undefined, boundary: string): string | undefined => {
  const delimiter = `--${boundary}`
  const start = text?.indexOf(delimiter) ?? -1
  if (text === undefined || start < 0) return undefined
  const head = text.indexOf("\r\n\r\n", start)
  const end = head < 0 ? -1 : text.indexOf(`\r\n${delimiter}`, head)
  return end < 0 ? undefined : text.slice(head + 4, end)
}
