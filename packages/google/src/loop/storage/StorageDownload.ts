/**
 * Downloads of objects that resume where they broke, keep to one generation, and compare checksums.
 *
 * @example
 * ```ts
 * import { StorageDownload, StorageRetry } from "@effect-retry/google"
 * import { HttpClient, HttpClientResponse } from "@effect/platform"
 * import { Effect, Stream } from "effect"
 * import * as assert from "node:assert"
 *
 * const server = HttpClient.make((request) => {
 *   const headers = { "x-goog-generation": "7", "x-goog-hash": "crc32c=4waSgw==", "content-length": "9" }
 *   return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("123456789", { headers })))
 * })
 * const found: Array<StorageDownload.Verification> = []
 *
 * const bytes = StorageDownload.stream(
 *   StorageRetry.withRetry(server, StorageRetry.standard),
 *   StorageDownload.mediaRequest({ bucket: "photos", name: "cat" }),
 *   { report: (verification) => Effect.sync(() => found.push(verification)) }
 * )
 *
 * Effect.runPromise(Stream.runDrain(bytes)).then(() =>
 *   assert.deepStrictEqual(found, [{ _tag: "Verified", algorithms: ["crc32c"], generation: "7" }])
 * )
 * ```
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual } from "@effect-retry/core/unstable/Dual"
import { Download } from "@effect-retry/http"
import { check, checkFields } from "../../accept/Options.ts"
import * as Checksum from "../../classify/Checksum.ts"
import * as ChecksumArguments from "../../classify/ChecksumArguments.ts"
import { ChecksumMismatch } from "./ChecksumMismatch.ts"
import * as ClientLine from "@effect-retry/http/unstable/ClientLine"
import { isClient, made } from "@effect-retry/http/unstable/MadeClient"
import { checkedEndpoint, checkedGeneration, checkedName, type Generation } from "./StorageRequest.ts"

export { ChecksumMismatch } from "./ChecksumMismatch.ts"

/**
 * An object, or one generation of it.
 *
 * @category models
 */
export interface Target {
  readonly bucket: string
  readonly name: string
  /** @default the live one */
  readonly generation?: Generation | undefined
  /** @default "https://storage.googleapis.com" */
  readonly endpoint?: string | undefined
}

/**
 * The JSON API request for the bytes of an object. Throws an `InvalidArgument` if a name is empty or the generation is
 * invalid.
 *
 * Source: https://docs.cloud.google.com/storage/docs/json_api/v1/objects/get.
 *
 * @category constructors
 */
export const mediaRequest = (target: Target): HttpClientRequest.HttpClientRequest => {
  const owner = "StorageDownload.mediaRequest"
  if (!Predicate.isRecord(target)) return Argument.refuse(owner, "target", "a record", target)
  checkFields(owner, target, { bucket: true, name: true, generation: true, endpoint: true })
  const { bucket, endpoint, generation, name } = target
  const names = [checkedName(owner, "bucket", bucket), checkedName(owner, "name", name)].map(encodeURIComponent)
  return HttpClientRequest.get(`${checkedEndpoint(owner, endpoint)}/storage/v1/b/${names.join("/o/")}`, {
    urlParams: {
      alt: "media",
      ...(generation !== undefined && { generation: checkedGeneration(owner, "generation", generation) })
    }
  })
}

/**
 * The result of comparing checksums, for a download that completed.
 *
 * @category models
 */
export type Verification =
  | {
      readonly _tag: "Verified"
      readonly algorithms: ReadonlyArray<Checksum.Algorithm>
      readonly generation: string | undefined
    }
  /** Nothing was compared. */
  | { readonly _tag: "Skipped"; readonly why: string; readonly generation: string | undefined }

/**
 * The options of a download.
 *
 * @category models
 */
export interface Options {
  /** The checksums of `x-goog-hash` to compare. @default ["crc32c"] */
  readonly checksums?: ReadonlyArray<Checksum.Algorithm> | undefined
  /** Called at the end of a download whose checksums match, or could not be compared. */
  readonly report?: ((verification: Verification) => Effect.Effect<void>) | undefined
}

/**
 * Streams the bytes of an object with a client that retries, such as one of `StorageRetry.withRetry`: `Download.stream` of
 * `@effect-retry/http` with the rules of Cloud Storage.
 *
 * When a body breaks, the rest is requested with `Range` and the generation of the first answer. If the object has been
 * replaced meanwhile, a bucket with versioning still has that generation; otherwise it is gone, and the stream fails
 * with a `DownloadFailed`. A signed URL cannot take a generation; its rest is requested with `If-Match`.
 *
 * A download is one operation of the client: its requests share attempts, back-off and deadline, and received bytes do
 * not reset these, as in Google's client for Python. In an upload, each acknowledged step resets them.
 *
 * The checksums of the first answer are compared once all bytes have been received, by when the consumer already has
 * them; on a mismatch the stream fails with a `ChecksumMismatch` instead of ending. Checksums cover the whole object as
 * stored. They are skipped for a range, and for bytes that were decoded on the way. An object with `Content-Encoding:
 * gzip` that the server decompresses also has no ranges, and is not resumed.
 *
 * Sources: https://docs.cloud.google.com/storage/docs/hashes-etags and
 * https://docs.cloud.google.com/storage/docs/transcoding, read 2026-11-22; https://github.com/googleapis/python-storage at
 * ab4997c, which pins the generation as well.
 *
 * @category running
 */
export function stream(
  request: HttpClientRequest.HttpClientRequest,
  options?: Options
): <E, R>(client: HttpClient.HttpClient.With<E, R>) => Stream.Stream<Uint8Array, E | Failed, R>
export function stream<E, R>(
  client: HttpClient.HttpClient.With<E, R>,
  request: HttpClientRequest.HttpClientRequest,
  options?: Options
): Stream.Stream<Uint8Array, E | Failed, R>
export function stream(...given: ReadonlyArray<any>): any {
  return dual(
    given,
    <E, R>(
      client: HttpClient.HttpClient.With<E, R>,
      request: HttpClientRequest.HttpClientRequest,
      options: Options = {}
    ): Stream.Stream<Uint8Array, E | Failed, R> => {
      const owner = "StorageDownload.stream"
      made(owner, client)
      if (!isRequest(request)) return Argument.refuse(owner, "request", "a request", typeof request)
      const given = checked(owner, options)
      checkRequest(Download.stream(client, request))
      return Stream.suspend(() => downloaded(client, request, given))
    },
    given.length > 2 || isClient(given[0]) || isRequest(given[1])
  )
}

/** Makes the stream at the call, so that a bad request is refused then, not when the stream is run. */
const checkRequest = (_made: Stream.Stream<Uint8Array, unknown, unknown>): void => undefined

type Failed = HttpClientError.ResponseError | Download.DownloadFailed | ChecksumMismatch
type Response = HttpClientResponse.HttpClientResponse

/** Options with what was left out. */
interface Given {
  readonly checksums: ReadonlyArray<Checksum.Algorithm>
  readonly report: (verification: Verification) => Effect.Effect<void>
}

const isRequest = (given: unknown): boolean => ClientLine.isRequest(given)

const checked = (owner: string, options: Options): Given => {
  checkFields(owner, check(owner, options), { checksums: true, report: true })
  const { checksums = ["crc32c"], report = () => Effect.void }: Options = options
  if (!Predicate.isFunction(report)) Argument.refuse(owner, "report", "a function that returns an effect", report)
  return { checksums: ChecksumArguments.algorithms(owner, checksums), report }
}

/** What the first answer of the download says. */
interface First {
  readonly generation: string | undefined
  readonly checksums: Checksum.Checksums
  /** Why the checksums do not apply to its bytes. */
  readonly why: string | undefined
}

const downloaded = <E, R>(
  client: HttpClient.HttpClient.With<E, R>,
  request: HttpClientRequest.HttpClientRequest,
  { checksums, report }: Given
): Stream.Stream<Uint8Array, E | Failed, R> => {
  const running = Checksum.running(checksums)
  let received = 0
  let first: First = { generation: undefined, checksums: {}, why: "there was no answer" }
  const reading: Download.Validator = (response) => {
    first = firstOf(response)
    return Option.none()
  }
  const validators = [reading, generation, ...[Download.entityTag, Download.lastModified].map(ofStored)]
  const bytes = Stream.map(Download.stream(client, request, { validators }), (bytes) => {
    running.update(bytes)
    received += bytes.length
    return bytes
  })
  const compared = Effect.suspend(() => Effect.flatMap(verified(first, running.digest()), report))
  return Stream.concat(
    Stream.mapError(bytes, (error) => gone(error, received)),
    Stream.execute(compared)
  )
}

const firstOf = (response: Response): First => ({
  generation: generationOf(response),
  checksums: Checksum.fromHeader(response.headers["x-goog-hash"]),
  why: whyNotComparable(response)
})

const whyNotComparable = (response: Response): string | undefined => {
  if (isTranscoded(response)) return "the server decompressed the object"
  if (response.status === 206) return "a range of the object"
  return isCoded(response) || response.request.method !== "GET" ? "the answer has a coding, or no bytes" : undefined
}

const verified = (
  { checksums, generation, why }: First,
  actual: Checksum.Checksums
): Effect.Effect<Verification, ChecksumMismatch> => {
  if (why !== undefined) return Effect.succeed({ _tag: "Skipped", why, generation })
  const { compared, mismatch } = Checksum.compare(checksums, actual)
  if (mismatch !== undefined) return Effect.fail(new ChecksumMismatch({ ...mismatch, generation }))
  return Effect.succeed(
    compared.length === 0
      ? { _tag: "Skipped", why: "the answer has none of the checksums", generation }
      : { _tag: "Verified", algorithms: compared, generation }
  )
}

/** A 404 means that the pinned generation no longer exists. */
const gone = <E>(error: E | HttpClientError.ResponseError | Download.DownloadFailed, received: number) =>
  ClientLine.isResponseError(error) && error.response.status === 404 && received > 0
    ? new Download.DownloadFailed({
        reason: { _tag: "OtherVersion", why: "the generation is gone" },
        received,
        cause: error
      })
    : error

/** The generation: currently a time in microseconds with sixteen digits. */
const generationOf = ({ headers }: Response): string | undefined =>
  /^\d{1,19}$/.exec(headers["x-goog-generation"]?.trim() ?? "")?.[0]

/**
 * The generation in `x-goog-generation`: the rest is requested with `generation`, and must come with the same one. For
 * `Download.stream`. A server may send the rest with status 200 if a `Content-Range` says what it is.
 *
 * Does not apply to signed URLs, whose signature does not allow another parameter.
 *
 * @category constructors
 */
export const generation: Download.Validator = (first) => {
  const found = isSigned(first) || isTranscoded(first) ? undefined : generationOf(first)
  if (found === undefined) return Option.none()
  const isSame = (response: Response) => generationOf(response) === found
  return Option.some({
    pin: (request) => (isPinned(request) ? request : HttpClientRequest.setUrlParam(request, "generation", found)),
    isSame,
    isPart: (response) => isSame(response) && response.headers["content-range"] !== undefined
  })
}

/** Whether the URL itself pins a generation; `urlParams` are added to it. */
const isPinned = ({ url }: HttpClientRequest.HttpClientRequest): boolean => /[?&]generation=/.test(url)

/**
 * Whether the URL has a signature of version 2 or 4. Source:
 * https://docs.cloud.google.com/storage/docs/access-control/signed-urls.
 */
const isSigned = ({ request }: Response): boolean =>
  /[?&](X-Goog-)?Signature=/i.test(request.url) ||
  ClientLine.parametersOf(request).some(([name]) => /^(X-Goog-)?Signature$/i.test(name))

/** Whether the bytes sent differ from those stored, to which ranges and checksums refer. */
const isTranscoded = ({ headers }: Response): boolean => {
  const stored = codingIn(headers["x-goog-stored-content-encoding"])
  return stored !== "identity" && stored !== codingIn(headers["content-encoding"])
}

/** Whether a client may have decoded the bytes. */
const isCoded = ({ headers }: Response): boolean => codingIn(headers["content-encoding"]) !== "identity"

const codingIn = (header: string | undefined): string => header?.trim().toLowerCase() || "identity"

const ofStored =
  (validator: Download.Validator): Download.Validator =>
  (first) =>
    isTranscoded(first) ? Option.none() : validator(first)
