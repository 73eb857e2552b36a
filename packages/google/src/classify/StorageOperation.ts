/**
 * Which operation of Cloud Storage a request calls, and which preconditions it carries.
 *
 * First stage of the flow. Requests of the JSON API are recognised by method and path, uploads and the sessions of
 * resumable uploads included, at any host and below any path; those of the XML API are not. What a request may be repeated
 * for is in the table; whether that suffices is for `StorageIdempotency`.
 *
 * @example
 * ```ts
 * import { StorageOperation } from "@effect-retry/google"
 * import { HttpClientRequest } from "@effect/platform"
 * import * as assert from "node:assert"
 *
 * const request = HttpClientRequest.post("https://storage.googleapis.com/upload/storage/v1/b/photos/o", {
 *   urlParams: { uploadType: "media", name: "cat.jpg", ifGenerationMatch: "0" }
 * })
 *
 * assert.deepStrictEqual(StorageOperation.fromRequest(request), {
 *   operation: "objects.insert",
 *   preconditions: ["ifGenerationMatch"],
 *   parameters: { bucket: "photos", object: "cat.jpg" }
 * })
 * ```
 */
import type * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { type Precondition, preconditions, type Row, table } from "./StorageOperationTable.ts"
import * as Untrusted from "./Untrusted.ts"

export { preconditions, table } from "./StorageOperationTable.ts"
export type { Precondition, Repetition, Row } from "./StorageOperationTable.ts"

/**
 * The name of an operation, such as `objects.insert`.
 *
 * @category models
 */
export type StorageOperation = keyof typeof table

/**
 * All names.
 *
 * @category models
 */
export const names = /*#__PURE__*/ Object.keys(table) as ReadonlyArray<StorageOperation>

/**
 * An operation as it is called.
 *
 * @category models
 */
export interface Call {
  readonly operation: StorageOperation
  /** Those that the request carries with a value, in the order of `preconditions`. */
  readonly preconditions: ReadonlyArray<Precondition>
  /**
   * What stands in the path, decoded: `bucket`, `object`, `toBucket` and so on; of an upload and of a new bucket also the
   * name, where the query or a JSON body has it.
   */
  readonly parameters: { readonly [name: string]: string }
}

/**
 * The operation that a request calls; `undefined` where the table has none.
 *
 * @category destructors
 */
export const fromRequest = (request: HttpClientRequest.HttpClientRequest): Call | undefined => {
  const address = addressOf(request)
  if (address === undefined) return undefined
  const method = methodOf(request)
  const named = address.isUpload ? uploadOf(method, request, address) : undefined
  for (const operation of named === undefined ? plain : [named]) {
    const { method: expected, path } = table[operation] as Row
    // An upload in one piece may be a PUT as well.
    const parameters = named !== undefined || method === expected ? parametersOf(path, address.path) : undefined
    if (parameters === undefined) continue
    const given = nameOf(operation, request, address)
    return { operation, preconditions: preconditionsOf(request, address), parameters: { ...parameters, ...given } }
  }
  return undefined
}

/** Of the JSON API itself, whose path does not stand for a session. */
const plain = /*#__PURE__*/ names.filter((name) => !name.startsWith("resumable."))

interface Address {
  readonly isUpload: boolean
  /** Below `storage/v1`, not decoded. */
  readonly path: ReadonlyArray<string>
  readonly parameter: (name: string) => string | undefined
}

/** The prefixes of the API, below whatever path a proxy has. */
const prefix = /^(.*?)\/(?:(resumable\/upload|upload|download)\/)?storage\/v1\/(.+?)\/?$/

const addressOf = ({ url, urlParams }: HttpClientRequest.HttpClientRequest): Address | undefined => {
  const parsed = URL.canParse(url, anyHost) ? new URL(url, anyHost) : undefined
  const [, , kind = "", path = ""] = prefix.exec(parsed?.pathname ?? "") ?? []
  if (parsed === undefined || path === "") return undefined
  return {
    isUpload: kind.endsWith("upload"),
    path: path.split("/"),
    parameter: (name) => parsed.searchParams.get(name) ?? urlParams.find(([key]) => key === name)?.[1]
  }
}

const anyHost = "http://localhost"

/** Source: googleapis/storage-testbench e8c8507, testbench/common.py, "X-Http-Method-Override". */
const methodOf = ({ headers, method }: HttpClientRequest.HttpClientRequest): string =>
  method === "POST" && headers["x-http-method-override"]?.toUpperCase() === "PATCH" ? "PATCH" : method

/** Source: https://cloud.google.com/storage/docs/performing-resumable-uploads. */
const uploadOf = (
  method: string,
  { headers }: HttpClientRequest.HttpClientRequest,
  { parameter }: Address
): StorageOperation | undefined => {
  const isOfSession = (parameter("upload_id") ?? "") !== ""
  if (method === "DELETE") return isOfSession ? "resumable.session.cancel" : undefined
  if (method === "PUT" && isOfSession) {
    return headers["content-range"]?.trim().startsWith("bytes */") === true
      ? "resumable.session.query"
      : "resumable.session.write"
  }
  if (method !== "POST" && method !== "PUT") return undefined
  return parameter("uploadType") === "resumable" ? "resumable.session.create" : "objects.insert"
}

const parametersOf = (pattern: string, path: ReadonlyArray<string>): Call["parameters"] | undefined => {
  const expected = pattern.split("/")
  if (expected.length !== path.length) return undefined
  const found: Array<readonly [name: string, value: string]> = []
  for (const [index, part] of expected.entries()) {
    const given = path[index] ?? ""
    if (!part.startsWith("{")) {
      if (given !== part) return undefined
    } else if (given === "") return undefined
    else found.push([part.slice(1, -1), decoded(given)])
  }
  return Object.fromEntries(found)
}

/** The name of what is new. */
const nameOf = (
  operation: StorageOperation,
  { body }: HttpClientRequest.HttpClientRequest,
  { isUpload, parameter }: Address
): Call["parameters"] => {
  if (operation === "buckets.insert") {
    const bucket = fieldOf(body, "name")
    return bucket === undefined ? {} : { bucket }
  }
  if (!isUpload && operation !== "objects.insert") return {}
  const object = parameter("name") ?? fieldOf(body, "name")
  return object === undefined ? {} : { object }
}

const decoded = (given: string): string => {
  try {
    return decodeURIComponent(given)
  } catch {
    return given
  }
}

const preconditionsOf = (
  request: HttpClientRequest.HttpClientRequest,
  { parameter }: Address
): ReadonlyArray<Precondition> =>
  preconditions.filter((precondition) => {
    switch (precondition) {
      case "If-Match":
        return isOneTag(request.headers["if-match"] ?? "")
      case "etag":
        return hasTag(request.body)
      default:
        return wholeNumber.test(parameter(precondition) ?? "")
    }
  })

/** Generations and metagenerations are 64 bits. A blank or garbled one is refused, or ignored: it protects nothing. */
const wholeNumber = /^\d{1,19}$/

/** `*` holds before and after an attempt that was carried out; of a list, the second can be what the attempt made. */
const isOneTag = (value: string): boolean => /^[^\s,*]+$/.test(value.trim())

/** No policy is as long, with its 1,500 principals, and no key. */
const mostBytes = 1_048_576

const hasTag = (body: HttpBody.HttpBody): boolean => (fieldOf(body, "etag") ?? "").trim() !== ""

/** A text in a JSON body; of a body that has to be opened to be read, none. */
const fieldOf = (body: HttpBody.HttpBody, field: string): string | undefined => {
  const text = textOf(body)
  if (text?.trimStart().startsWith("{") !== true) return undefined
  try {
    return Untrusted.text(JSON.parse(text), field)
  } catch {
    return undefined
  }
}

const textOf = (body: HttpBody.HttpBody): string | undefined => {
  if (body._tag === "Uint8Array") return body.body.length <= mostBytes ? new TextDecoder().decode(body.body) : undefined
  return body._tag === "Raw" && typeof body.body === "string" && body.body.length <= mostBytes ? body.body : undefined
}
