/**
 * Recognises which operation of Cloud Storage a request calls, and which preconditions it carries.
 *
 * Requests of the JSON API are recognised by method and path at any host and below any path, including uploads and
 * sessions of resumable uploads; those of the XML API by method and path at `storage.googleapis.com`, with the bucket
 * in the path or as a subdomain, including signed URLs. The table lists the preconditions that make a request safe to
 * repeat; `StorageIdempotency` decides whether they suffice.
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
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Address from "./StorageAddress.ts"
import * as Body from "./StorageBody.ts"
import { type Precondition, preconditions, type Row, table } from "./StorageOperationTable.ts"
import * as Xml from "./StorageXml.ts"

export { preconditions, table } from "./StorageOperationTable.ts"
export type { Precondition, Repetition, Row } from "./StorageOperationTable.ts"

/**
 * The name of an operation, such as `objects.insert`.
 *
 * @category models
 */
export type StorageOperation = keyof typeof table

/**
 * The names of all operations of the table.
 *
 * @category models
 */
export const names = /*#__PURE__*/ Object.keys(table) as ReadonlyArray<StorageOperation>

/**
 * A call of an operation.
 *
 * @category models
 */
export interface Call {
  readonly operation: StorageOperation
  /**
   * The preconditions to which the request gives a value, in the order of `preconditions`; in the XML API those on
   * generations are the headers `x-goog-if-generation-match` and `x-goog-if-metageneration-match`.
   */
  readonly preconditions: ReadonlyArray<Precondition>
  /**
   * The parameters in the path, decoded: `bucket`, `object`, `toBucket` and so on; for an upload or a new bucket also
   * its name, if the query or the JSON in the body has it, including the first part of a multipart upload.
   */
  readonly parameters: { readonly [name: string]: string }
}

/**
 * The operation that a request calls; `undefined` if it is not in the table.
 *
 * @category destructors
 */
export const fromRequest = (request: HttpClientRequest.HttpClientRequest): Call | undefined => {
  const address = Address.fromRequest(request)
  if (address?.json !== undefined) return ofJson(request, address, address.json)
  const found = address?.xml && Xml.operationOf(request, address, address.xml)
  if (found === undefined || address === undefined) return undefined
  const preconditions = preconditionsOf(request, (precondition) => Xml.valueOf(request, address, precondition))
  return { operation: found.operation, preconditions, parameters: found.parameters }
}

const ofJson = (
  request: HttpClientRequest.HttpClientRequest,
  { parameter }: Address.Address,
  { isUpload, path: given }: Address.Json
): Call | undefined => {
  const method = methodOf(request)
  const named = isUpload ? uploadOf(method, request, parameter) : undefined
  for (const operation of named === undefined ? plain : [named]) {
    const { method: expected, path } = table[operation] as Row
    // An upload in one piece may be a PUT as well.
    const parameters = named !== undefined || method === expected ? parametersOf(path, given) : undefined
    if (parameters === undefined) continue
    const name = nameOf(operation, request, isUpload, parameter)
    return { operation, preconditions: preconditionsOf(request, parameter), parameters: { ...parameters, ...name } }
  }
  return undefined
}

/** The operations of the JSON API itself, without those of sessions. */
const plain = /*#__PURE__*/ names.filter((name) => !name.startsWith("resumable."))

type Parameter = Address.Address["parameter"]

/** Source: googleapis/storage-testbench e8c8507, testbench/common.py, "X-Http-Method-Override". */
const methodOf = ({ headers, method }: HttpClientRequest.HttpClientRequest): string =>
  method === "POST" && headers["x-http-method-override"]?.toUpperCase() === "PATCH" ? "PATCH" : method

/** Source: https://cloud.google.com/storage/docs/performing-resumable-uploads. */
const uploadOf = (
  method: string,
  { headers }: HttpClientRequest.HttpClientRequest,
  parameter: Parameter
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
    else found.push([part.slice(1, -1), Address.decoded(given)])
  }
  return Object.fromEntries(found)
}

/** The name of a new object or bucket. */
const nameOf = (
  operation: StorageOperation,
  request: HttpClientRequest.HttpClientRequest,
  isUpload: boolean,
  parameter: Parameter
): Call["parameters"] => {
  if (operation === "buckets.insert") {
    const bucket = Body.field(request, "name")
    return bucket === undefined ? {} : { bucket }
  }
  if (!isUpload && operation !== "objects.insert") return {}
  const object = parameter("name") ?? Body.field(request, "name")
  return object === undefined ? {} : { object }
}

const preconditionsOf = (
  request: HttpClientRequest.HttpClientRequest,
  valueOf: (precondition: Precondition) => string | undefined
): ReadonlyArray<Precondition> =>
  preconditions.filter((precondition) => {
    switch (precondition) {
      case "If-Match":
        return isOneTag(request.headers["if-match"] ?? "")
      case "etag":
        return (Body.field(request, "etag") ?? "").trim() !== ""
      default:
        return wholeNumber.test(valueOf(precondition) ?? "")
    }
  })

/**
 * Generations and metagenerations are 64 bits. A blank or malformed one is refused or ignored by the server, so it
 * protects nothing.
 */
const wholeNumber = /^\d{1,19}$/

/** `*` is met before and after an attempt that was carried out; in a list, the second tag may be what the attempt created. */
const isOneTag = (value: string): boolean => /^[^\s,*]+$/.test(value.trim())
