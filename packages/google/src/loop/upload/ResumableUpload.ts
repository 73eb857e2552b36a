/**
 * Uploads that resume: when a request fails, the server is asked how much it has, and the upload continues from there.
 *
 * Works over any `HttpClient` that signs its requests and leaves absolute URLs as they are. The client need not retry,
 * because the upload retries under its own policy.
 *
 * @example
 * ```ts
 * import { ResumableUpload } from "@effect-retry/google"
 * import { HttpClient, HttpClientResponse } from "@effect/platform"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const ranges: Array<string | undefined> = []
 * const answers = [
 *   { status: 200, headers: { location: "/upload/storage/v1/b/photos/o?upload_id=secret" } },
 *   { status: 308, headers: { range: "bytes=0-262143" } },
 *   { status: 200, body: '{"size":"300000","generation":"7"}' }
 * ]
 * const server = HttpClient.make((request) => {
 *   const { body = null, ...init } = answers[ranges.push(request.headers["content-range"]) - 1] ?? { status: 500 }
 *   return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, init)))
 * })
 *
 * const uploaded = ResumableUpload.run(server, {
 *   start: ResumableUpload.startRequest({ bucket: "photos", name: "cat", ifGenerationMatch: 0 }),
 *   source: ResumableUpload.fromBytes(new Uint8Array(300_000)),
 *   chunkBytes: 262_144
 * })
 *
 * Effect.runPromise(uploaded).then(({ generation }) => {
 *   assert.strictEqual(generation, "7")
 *   assert.deepStrictEqual(ranges, [undefined, "bytes 0-262143/*", "bytes 262144-299999/300000"])
 * })
 * ```
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import * as BodyLine from "@effect-retry/http/unstable/BodyLine"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import type { Piped } from "@effect-retry/core/unstable/PolicyTypes"
import type { Added, Bound, Checked, Env, In, Takes } from "@effect-retry/http/unstable/HttpPolicy"
import type * as Checksum from "../../classify/Checksum.ts"
import type { ChecksumMismatch } from "../storage/ChecksumMismatch.ts"
import { isClient } from "@effect-retry/http/unstable/MadeClient"
import type { UploadFailed } from "./Failed.ts"
import * as Run from "./Run.ts"
import type { Source } from "./Source.ts"

export { ChecksumMismatch } from "../storage/ChecksumMismatch.ts"
export { type Reason, UploadFailed } from "./Failed.ts"
export { fromBytes, fromOffset, fromStream, type Source } from "./Source.ts"
export type { Event, Uploaded } from "./Run.ts"
export { startRequest, type Target } from "./Start.ts"

/**
 * An upload.
 *
 * @category models
 */
export interface Options<ES, RS, P> {
  /** Starts the session: `ResumableUpload.startRequest`, or your own request that is answered with a `Location`. */
  readonly start: HttpClientRequest.HttpClientRequest
  readonly source: Source<ES, RS>
  /** Fields left out are those of `StorageRetry.standard`. @default StorageRetry.standard */
  readonly policy?: Checked<P> | undefined
  /**
   * The session to continue, from an event `SessionStarted` of this or another process. It must have the origin of
   * `start`, because requests to it carry the client's credentials. The server is first asked how much it has.
   */
  readonly resumeFrom?: Redacted.Redacted<string> | undefined
  /**
   * The number of bytes in a request, which are kept in memory: a multiple of 256 KiB (262,144).
   *
   * Source: https://github.com/googleapis/google-api-go-client, googleapi.go, `DefaultUploadChunkSize` and
   * `MinUploadChunkSize`.
   *
   * @default 16_777_216
   */
  readonly chunkBytes?: number | undefined
  /**
   * The checksums that are computed over the whole source, sent with the last bytes for the server to check, and
   * compared with those of the object. For this, the source of a resumed session is read from its beginning; with `[]`
   * it is read from the server's position, if possible. @default ["crc32c"]
   */
  readonly checksums?: ReadonlyArray<Checksum.Algorithm> | undefined
}

type With<E, R> = HttpClient.HttpClient.With<E, R>

/** A policy must also judge the upload's own errors. */
type Judging<P> = UploadFailed extends In<P> ? unknown : never

/** What attempts fail with where the client is known, as in a pipe. Elsewhere the client's errors come later. */
type Failing<E0> = [E0] extends [never] ? never : E0 | UploadFailed

/** The errors of an upload besides those of its client, its source and its policy. */
type Failed = UploadFailed | ChecksumMismatch | HttpClientError.ResponseError

/**
 * Uploads, and returns the object.
 *
 * The upload is a sequence of operations under one policy: the start of the session, and then one for every step that the
 * server acknowledges. An operation succeeds when the server has more bytes of the session than ever before; an answer
 * that acknowledges no more is a failed attempt. So all progress resets the count of attempts and the back-off, as in
 * Google's clients, and an upload without progress ends. The deadline is never reset: it bounds the whole upload, but
 * does not interrupt a wait for the source. Without a deadline, a server that acknowledges one byte of each chunk is
 * sent as many chunks as there are bytes, because every byte is progress.
 *
 * After a failure the server is asked what it has before bytes are sent again; `UploadVerdict` says what the answers mean.
 * The start is repeated only if the policy's rules allow it; those of Cloud Storage require `ifGenerationMatch`.
 * Requests to a session are repeated unless those rules are `never`. A session that the server has lost (404, 410) is
 * replaced if its start may be repeated and the source can be read again, as often as there are attempts without progress.
 *
 * The query and the path of the session's address are secret. No error, event, log line or span contains the address:
 * they show `upload_id=REDACTED`, and no path but that of the start. Errors of the client, including those of the
 * start, are copied without the texts, headers and properties that may contain it. Not filtered are the body of an
 * answer, and what a client itself logs or traces. A session at another origin than its start is refused, because
 * requests to it carry the client's credentials.
 *
 * Sources: https://docs.cloud.google.com/storage/docs/resumable-uploads, read 2026-11-22; of the count for every chunk
 * https://github.com/googleapis/google-api-go-client at 045facb, internal/gensupport/resumable.go.
 *
 * @category running
 */
export function run<P extends Bound<Failing<E0>>, ES, RS, E0 = never>(
  options: Options<ES, RS, P> & Judging<P>
): <E extends Takes<P, E | UploadFailed>, R>(
  client: With<E, R> | Piped<P, With<E0, any>>
) => Effect.Effect<Run.Uploaded, E | ES | Failed | Added<P>, Env<P, R> | RS>
export function run<
  E = never,
  R = never,
  ES = never,
  RS = never,
  P extends Bound<E | UploadFailed> = Bound<E | UploadFailed>
>(
  client: With<E, R>,
  options: Options<ES, RS, P>
): Effect.Effect<Run.Uploaded, E | ES | Failed | Added<P>, Env<P, R> | RS>
export function run(...given: Given): any {
  return dual(
    given,
    (client: Run.Client, options: Run.Given): Effect.Effect<Run.Uploaded, any, any> =>
      Run.uploading("ResumableUpload.run", client, options)(() => undefined),
    given.length > 1 || isClient(given[0])
  )
}

/**
 * Uploads, and streams the progress; the last event is `Finished`, and the stream fails where `run` does.
 *
 * The upload does not wait for the consumer of the stream, and ends with it.
 *
 * @category running
 */
export function stream<P extends Bound<Failing<E0>>, ES, RS, E0 = never>(
  options: Options<ES, RS, P> & Judging<P>
): <E extends Takes<P, E | UploadFailed>, R>(
  client: With<E, R> | Piped<P, With<E0, any>>
) => Stream.Stream<Run.Event, E | ES | Failed | Added<P>, Env<P, R> | RS>
export function stream<
  E = never,
  R = never,
  ES = never,
  RS = never,
  P extends Bound<E | UploadFailed> = Bound<E | UploadFailed>
>(client: With<E, R>, options: Options<ES, RS, P>): Stream.Stream<Run.Event, E | ES | Failed | Added<P>, Env<P, R> | RS>
export function stream(...given: Given): any {
  return dual(
    given,
    (client: Run.Client, options: Run.Given): Stream.Stream<Run.Event, any, any> => {
      const upload = Run.uploading("ResumableUpload.stream", client, options)
      return BodyLine.emitted(upload)
    },
    given.length > 1 || isClient(given[0])
  )
}
