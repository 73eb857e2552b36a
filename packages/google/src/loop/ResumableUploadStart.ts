/**
 * The request that starts a session of the JSON API.
 */
import { HttpClientRequest } from "@effect/platform"
import * as Argument from "@effect-retry/core/Argument"
import { Predicate } from "effect"

/**
 * What is to be written.
 *
 * @category models
 */
export interface Target {
  readonly bucket: string
  /** The name of the object. */
  readonly name: string
  /** Fields of the object's resource, such as `contentType`, `metadata`, or a `crc32c` for the server to check. */
  readonly metadata?: { readonly [field: string]: unknown } | undefined
  /** The generation that the object has; 0 where it is not to exist. Makes the start repeatable. */
  readonly ifGenerationMatch?: Generation | undefined
  readonly ifGenerationNotMatch?: Generation | undefined
  readonly ifMetagenerationMatch?: Generation | undefined
  readonly ifMetagenerationNotMatch?: Generation | undefined
  /** Other parameters of the method, such as `userProject`. */
  readonly parameters?: { readonly [name: string]: string } | undefined
  /** @default "https://storage.googleapis.com" */
  readonly endpoint?: string | undefined
}

/**
 * A generation or metageneration: a whole number from 0, also as the text that the API writes it as.
 *
 * @category models
 */
export type Generation = number | bigint | string

const owner = "ResumableUpload.startRequest"

const preconditions = [
  "ifGenerationMatch",
  "ifGenerationNotMatch",
  "ifMetagenerationMatch",
  "ifMetagenerationNotMatch"
] as const

/**
 * The request that starts an upload. Throws where a name is empty, or a generation is none.
 *
 * Source: https://docs.cloud.google.com/storage/docs/json_api/v1/objects/insert.
 *
 * @category constructors
 */
export const startRequest = (target: Target): HttpClientRequest.HttpClientRequest => {
  if (!Predicate.isRecord(target)) return Argument.refuse(owner, "target", "a record", target)
  const { endpoint = "https://storage.googleapis.com", metadata, parameters = {} } = target
  const bucket = encodeURIComponent(checkedName("bucket", target.bucket))
  const conditions = preconditions.flatMap((name) => {
    const generation = target[name]
    return generation === undefined ? [] : [[name, checkedGeneration(name, generation)] as const]
  })
  const request = HttpClientRequest.post(`${checkedEndpoint(endpoint)}/upload/storage/v1/b/${bucket}/o`, {
    urlParams: {
      ...parameters,
      uploadType: "resumable",
      name: checkedName("name", target.name),
      ...Object.fromEntries(conditions)
    }
  })
  return metadata === undefined ? request : withMetadata(request, metadata)
}

/** A bucket of dots is another path. */
const checkedName = (field: string, name: string): string =>
  typeof name === "string" && name !== "" && !/^\.{1,2}$/.test(name)
    ? name
    : Argument.refuse(owner, field, "a name", name)

const checkedGeneration = (field: string, generation: Generation): string =>
  /^\d{1,19}$/.test(String(generation))
    ? String(generation)
    : Argument.refuse(owner, field, "a whole number from 0", generation)

const checkedEndpoint = (endpoint: string): string =>
  typeof endpoint === "string" && URL.canParse(endpoint) && /^https?:/i.test(endpoint) && !/[?#]/.test(endpoint)
    ? endpoint.replace(/\/+$/, "")
    : Argument.refuse(owner, "endpoint", "a URL without a query", endpoint)

const withMetadata = (
  request: HttpClientRequest.HttpClientRequest,
  metadata: unknown
): HttpClientRequest.HttpClientRequest => {
  if (!Predicate.isRecord(metadata)) return Argument.refuse(owner, "metadata", "a record", metadata)
  try {
    return HttpClientRequest.bodyUnsafeJson(request, metadata)
  } catch {
    return Argument.refuse(owner, "metadata", "a record that JSON can say", typeof metadata)
  }
}

/**
 * Announces how many bytes will come, where that is known.
 *
 * Source: https://docs.cloud.google.com/storage/docs/performing-resumable-uploads, "X-Upload-Content-Length".
 *
 * @category combinators
 */
export const announcing = (
  request: HttpClientRequest.HttpClientRequest,
  size: number | undefined
): HttpClientRequest.HttpClientRequest =>
  size === undefined ? request : HttpClientRequest.setHeader(request, "x-upload-content-length", String(size))
