/**
 * The request that starts a session of the JSON API.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Predicate from "effect/Predicate"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Options from "../../accept/Options.ts"
import { checkedEndpoint, checkedGeneration, checkedName, type Generation } from "../storage/StorageRequest.ts"

/**
 * The object to write.
 *
 * @category models
 */
export interface Target {
  readonly bucket: string
  /** The name of the object. */
  readonly name: string
  /** Fields of the object's resource, such as `contentType`, `metadata`, or a `crc32c` for the server to check. */
  readonly metadata?: { readonly [field: string]: unknown } | undefined
  /** The generation that the object must have; 0 if it must not exist. Makes the start repeatable. */
  readonly ifGenerationMatch?: Generation | undefined
  readonly ifGenerationNotMatch?: Generation | undefined
  readonly ifMetagenerationMatch?: Generation | undefined
  readonly ifMetagenerationNotMatch?: Generation | undefined
  /** Other parameters of the method, such as `userProject`. */
  readonly parameters?: { readonly [name: string]: string } | undefined
  /** @default "https://storage.googleapis.com" */
  readonly endpoint?: string | undefined
}

const owner = "ResumableUpload.startRequest"

const preconditions = [
  "ifGenerationMatch",
  "ifGenerationNotMatch",
  "ifMetagenerationMatch",
  "ifMetagenerationNotMatch"
] as const

const fields = {
  bucket: true,
  name: true,
  metadata: true,
  ifGenerationMatch: true,
  ifGenerationNotMatch: true,
  ifMetagenerationMatch: true,
  ifMetagenerationNotMatch: true,
  parameters: true,
  endpoint: true
} as const

const checkedParameters = (parameters: NonNullable<Target["parameters"]>): NonNullable<Target["parameters"]> => {
  if (!Predicate.isRecord(parameters)) return Argument.refuse(owner, "parameters", "a record of texts", parameters)
  for (const [name, value] of Object.entries(parameters)) {
    if (!Predicate.isString(value)) Argument.refuse(owner, `parameters.${name}`, "a text", typeof value)
  }
  return parameters
}

/**
 * The request that starts an upload. Throws an `InvalidArgument` if a name is empty or a generation is invalid.
 *
 * Source: https://docs.cloud.google.com/storage/docs/json_api/v1/objects/insert.
 *
 * @category constructors
 */
export const startRequest = (target: Target): HttpClientRequest.HttpClientRequest => {
  if (!Predicate.isRecord(target)) return Argument.refuse(owner, "target", "a record", target)
  Options.checkFields(owner, target, fields)
  const { endpoint, metadata, parameters = {} } = target
  const bucket = encodeURIComponent(checkedName(owner, "bucket", target.bucket))
  const conditions = preconditions.flatMap((name) => {
    const generation = target[name]
    return generation === undefined ? [] : [[name, checkedGeneration(owner, name, generation)] as const]
  })
  const request = HttpClientRequest.post(`${checkedEndpoint(owner, endpoint)}/upload/storage/v1/b/${bucket}/o`, {
    urlParams: {
      ...checkedParameters(parameters),
      uploadType: "resumable",
      name: checkedName(owner, "name", target.name),
      ...Object.fromEntries(conditions)
    }
  })
  return metadata === undefined ? request : withMetadata(request, metadata)
}

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
 * Announces how many bytes will come, if that is known.
 *
 * Source: https://docs.cloud.google.com/storage/docs/performing-resumable-uploads, "X-Upload-Content-Length".
 */
export const announcing = (
  request: HttpClientRequest.HttpClientRequest,
  size: number | undefined
): HttpClientRequest.HttpClientRequest =>
  size === undefined ? request : HttpClientRequest.setHeader(request, "x-upload-content-length", String(size))
