/**
 * The read that shows the result of a write.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { Discard } from "@effect-retry/http"
import * as StorageHeader from "../../accept/StorageHeader.ts"
import * as ErrorBody from "../../classify/ErrorBody.ts"
import * as StorageAddress from "../../classify/StorageAddress.ts"
import * as StorageOperation from "../../classify/StorageOperation.ts"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/**
 * The request that reads the resource of a write; `undefined` if the write does not name it, and for a write of the XML
 * API, whose signature covers only the write.
 */
export const requestOf = (request: Request, { operation, parameters }: StorageOperation.Call): Request | undefined => {
  const { resource }: StorageOperation.Row = StorageOperation.table[operation]
  const path = resource && filled(resource, parameters)
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined
  const json = StorageAddress.fromRequest(request)?.json
  if (path === undefined || url === undefined || json === undefined) return undefined
  const kept = [...url.searchParams, ...request.urlParams].filter(([name]) => keptOf(operation).includes(name))
  return HttpClientRequest.make("GET")(`${url.origin}${json.base}/storage/v1/${path}`, {
    urlParams: UrlParams.fromInput(kept),
    headers: Object.fromEntries(Object.entries(request.headers).flatMap(([name, value]) => ofRead(name, value)))
  })
}

const filled = (template: string, parameters: StorageOperation.Call["parameters"]): string | undefined => {
  const parts = template.split("/").map((part) => {
    const value = part.startsWith("{") ? parameters[part.slice(1, -1)] : part
    return value === undefined || value === "" ? undefined : encodeURIComponent(value)
  })
  return parts.includes(undefined) ? undefined : parts.join("/")
}

/** The parameters to keep: who asks and pays, and for a deletion also what is deleted. */
const keptOf = (operation: StorageOperation.StorageOperation): ReadonlyArray<string> =>
  operation === "objects.delete"
    ? ["key", "userProject", "quotaUser", "generation"]
    : ["key", "userProject", "quotaUser"]

/** The read is a separate operation, which the client that sends it names and counts. */
const ofRead = (name: string, value: string): ReadonlyArray<readonly [name: string, value: string]> => {
  if (name !== StorageHeader.client) return isOfWrite(name) ? [] : [[name, value]]
  const parts = StorageHeader.withoutOperation(value)
  return parts.length === 0 ? [] : [[name, parts.join(" ")]]
}

/** Whether a header is about the body, the condition or the repetition of a write. */
const isOfWrite = (name: string): boolean =>
  ["content-", "if-", "x-upload-"].some((start) => name.startsWith(start)) ||
  ["x-http-method-override", "transfer-encoding", "expect", StorageHeader.token].includes(name)

export const isDeletion = ({ operation }: StorageOperation.Call): boolean =>
  StorageOperation.table[operation].method === "DELETE"

/** The generation to be deleted; `undefined` if the query does not say. */
export const generationOf = ({ url, urlParams }: Request): string | undefined => {
  const query = [...(URL.canParse(url) ? new URL(url).searchParams : []), ...urlParams]
  return ["generation", "ifGenerationMatch"]
    .map((parameter) => numberOf(query.find(([name]) => name === parameter)?.[1]))
    .find((generation) => generation !== undefined)
}

/** The generation of a resource; `undefined` if it has none. */
export const generationIn = (resource: Found["resource"]): string | undefined => numberOf(resource["generation"])

const numberOf = (value: unknown): string | undefined => /^0*([1-9]\d{0,18})$/.exec(String(value))?.[1]

/** The answer to a deletion that was carried out. */
export const deleted = (request: Request): Response =>
  HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))

/** Bounds of this package's choice: a description of an object or a bucket has a few KiB, a policy at most 64 KiB. */
const bounds = { atMostBytes: 1_048_576, within: "10 seconds" } as const

/** The resource that a read found, with the answer that the write would have had. */
export const resourceOf = (found: Response): Effect.Effect<Option.Option<Found>> =>
  Effect.map(Discard.drained(found, bounds), (body) =>
    Option.flatMap(body, (bytes) =>
      Option.map(parsed(bytes), (resource) => ({
        resource,
        answer: ({ operation }: StorageOperation.Call) =>
          Discard.replaced(found, Option.some(operation === "objects.rewrite" ? rewritten(resource) : bytes))
      }))
    )
  )

interface Found {
  readonly resource: { readonly [field: string]: unknown }
  readonly answer: (call: StorageOperation.Call) => Response
}

const parsed = (bytes: Uint8Array): Option.Option<Found["resource"]> =>
  Option.filter(ErrorBody.parsed(bytes), Predicate.isRecord)

/** Source: https://cloud.google.com/storage/docs/json_api/v1/objects/rewrite, "Response". */
const rewritten = (resource: Found["resource"]): Uint8Array => {
  // A server may leave it out for an object of 0 bytes.
  const { size = "0" } = resource
  const answer = { kind: "storage#rewriteResponse", done: true, objectSize: size, totalBytesRewritten: size, resource }
  return new TextEncoder().encode(JSON.stringify(answer))
}
