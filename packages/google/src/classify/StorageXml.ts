/**
 * Recognises which operation a request of the XML API calls, by the JSON API's name for it.
 *
 * Operations that the JSON API does not have, such as the multipart uploads of `uploads` and `uploadId`, and those that
 * write a whole subresource, such as `acl` and `lifecycle`, are not recognised.
 *
 * Sources: https://docs.cloud.google.com/storage/docs/xml-api/reference-methods and
 * https://docs.cloud.google.com/storage/docs/xml-api/reference-headers, read 2026-11-24.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Address from "./StorageAddress.ts"
import type { Precondition, table } from "./StorageOperationTable.ts"

type Request = HttpClientRequest.HttpClientRequest
type Operation = keyof typeof table

/** An operation and its resource. */
export interface Found {
  readonly operation: Operation
  readonly parameters: { readonly [name: string]: string }
}

/** `undefined` if there is no such operation. */
export const operationOf = (
  request: Request,
  address: Address.Address,
  { bucket, object }: Address.Xml
): Found | undefined => {
  const others = address.names.filter((name) => !isKnown.test(name))
  const isComposition = request.method === "PUT" && object !== "" && others.join() === "compose"
  if (isComposition) return { operation: "objects.compose", parameters: { bucket, object } }
  if (others.length > 0) return undefined
  if (bucket === "") return request.method === "GET" ? { operation: "buckets.list", parameters: {} } : undefined
  return object === "" ? onBucket(request, bucket) : onObject(request, address, { bucket, object })
}

/** Whether a parameter does not change what is called: signatures, who pays, which part of a list. */
const isKnown =
  /^(?:x-goog-[a-z0-9-]+|x-amz-[a-z0-9-]+|googleaccessid|awsaccesskeyid|expires|signature|userproject|generation|upload_id|prefix|delimiter|marker|max-keys|versions|list-type|continuation-token|start-after|encoding-type|response-content-disposition|response-content-type)$/i

const onBucket = ({ method }: Request, bucket: string): Found | undefined => {
  switch (method) {
    case "GET":
      return { operation: "objects.list", parameters: { bucket } }
    case "HEAD":
      return { operation: "buckets.get", parameters: { bucket } }
    case "PUT":
      return { operation: "buckets.insert", parameters: { bucket } }
    case "DELETE":
      return { operation: "buckets.delete", parameters: { bucket } }
    default:
      return undefined
  }
}

const onObject = (request: Request, { parameter }: Address.Address, parameters: Address.Xml): Found | undefined => {
  const { headers, method } = request
  const isOfSession = (parameter("upload_id") ?? "") !== ""
  switch (method) {
    case "GET":
    case "HEAD":
      return { operation: "objects.get", parameters: { ...parameters } }
    case "PUT": {
      if (isOfSession) return ofSession(headers["content-range"], parameters)
      const source = headers["x-goog-copy-source"]
      return source === undefined
        ? { operation: "objects.insert", parameters: { ...parameters } }
        : {
            operation: "objects.copy",
            parameters: { ...sourceOf(source), toBucket: parameters.bucket, toObject: parameters.object }
          }
    }
    case "POST":
      return headers["x-goog-resumable"]?.trim().toLowerCase() === "start"
        ? { operation: "resumable.session.create", parameters: { ...parameters } }
        : undefined
    case "DELETE":
      return { operation: isOfSession ? "resumable.session.cancel" : "objects.delete", parameters: { ...parameters } }
    default:
      return undefined
  }
}

const ofSession = (range: string | undefined, parameters: Address.Xml): Found => ({
  operation: range?.trim().startsWith("bytes */") === true ? "resumable.session.query" : "resumable.session.write",
  parameters: { ...parameters }
})

/** A bucket and an object, with or without a slash before them. */
const sourceOf = (source: string): Found["parameters"] => {
  const path = source.trim().replace(/^\//, "")
  const end = path.indexOf("/")
  if (end < 0) return {}
  return { bucket: Address.decoded(path.slice(0, end)), object: Address.decoded(path.slice(end + 1)) }
}

/** The value, in an XML request, of a precondition that the JSON API has in the query. */
export const valueOf = (
  request: Request,
  { parameter }: Address.Address,
  precondition: Precondition
): string | undefined => {
  switch (precondition) {
    case "ifGenerationMatch":
      return request.headers["x-goog-if-generation-match"]
    case "ifMetagenerationMatch":
      return request.headers["x-goog-if-metageneration-match"]
    default:
      return parameter(precondition)
  }
}
