/**
 * What a download has received, and how it continues.
 */
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as ByteRange from "../decide/ByteRange.ts"
import * as ClientLine from "../classify/ClientLine.ts"
import * as Resumption from "../decide/Resumption.ts"
import * as BodyLine from "./client/BodyLine.ts"
import * as Discard from "./client/Discard.ts"
import { DownloadFailed } from "./client/DownloadFailed.ts"
import type { Request, Response } from "./exchange/Exchange.ts"
import type { Validator, Version } from "./Version.ts"

/** A download. Made anew for each run of its stream; mutable. */
export interface Progress {
  readonly owner: string
  readonly validators: ReadonlyArray<Validator>
  /** Passes bytes on, in the step in which they are counted; the returned effect ends when there is room for more. */
  readonly emit: (pieces: ReadonlyArray<Uint8Array>) => Effect.Effect<void>
  method: string
  /** The range that the caller asked for. */
  asked: ByteRange.ByteRange | undefined
  received: number
  /** The position of the next byte. */
  position: number
  /** Where the wanted bytes end, and the length of the whole, as far as known. */
  known: Pick<Resumption.Part, "until" | "total">
  version: Version | undefined
  /** Why the rest cannot be requested. */
  why: string
  /** The error that broke the body. */
  cause: unknown
  /** The number of the reading: only the latest one passes bytes on. */
  reading: number
}

export const make = ({ emit, owner, validators }: Pick<Progress, "emit" | "owner" | "validators">): Progress => ({
  owner,
  validators,
  emit,
  method: "",
  asked: undefined,
  received: 0,
  position: 0,
  known: { until: undefined, total: undefined },
  version: undefined,
  why: "",
  cause: undefined,
  reading: 0
})

/**
 * The request of the next attempt: unchanged while nothing has been received, and then for the rest. Bodies are
 * requested without a content coding, unless the caller has named one, because a decoded body cannot be resumed.
 */
export const ask = (progress: Progress, request: Request): Request => {
  const { known, position, received, version } = progress
  const uncoded =
    request.headers["accept-encoding"] === undefined
      ? HttpClientRequest.setHeader(request, "accept-encoding", "identity")
      : request
  if (received === 0) {
    progress.method = request.method
    progress.asked = checkRequest(progress.owner, request)
    return uncoded
  }
  if (version === undefined) return uncoded
  const { asked } = progress
  const last = asked?.start !== undefined && asked.end !== undefined ? (known.until ?? asked.end) - 1 : ""
  return version.pin(HttpClientRequest.setHeader(uncoded, "range", `bytes=${position}-${last}`))
}

/** Throws if the rest of a request could not be requested: its range is not a single range of bytes, or it has an `If-Range`. */
export const checkRequest = (owner: string, { headers }: Request): ByteRange.ByteRange | undefined => {
  const condition = headers["if-range"]
  if (condition !== undefined) Argument.refuse(owner, "request.headers.if-range", "absent", condition)
  return ByteRange.parse(owner, headers["range"])
}

/** Reads an answer: passes its bytes on if they are the next ones, and fails otherwise. */
export const read = (progress: Progress, response: Response): Effect.Effect<void, Failure> => {
  const reading = (progress.reading += 1)
  const { known, position, received, version } = progress
  if (received > 0 && isWhole(progress)) return Discard.cancelled(response)
  if (received > 0 && version === undefined) return unread(response, notResumable(progress))
  const isRefused = received > 0 && Resumption.isRefusal(response.status)
  if (!isRefused && (response.status < 200 || response.status >= 300)) return Effect.fail(statusError(response))
  const decision =
    version === undefined || received === 0
      ? Resumption.first(response, progress.asked)
      : Resumption.rest(response, { position, ...known }, version.isSame(response), version.isPart?.(response))
  if (decision._tag === "Whole") return Discard.cancelled(response)
  if (decision._tag !== "Part") return unread(response, refused(progress, decision))
  if (received === 0) begin(progress, response, decision.part)
  const part = isOpen(progress) ? open : decision.part
  progress.known = part
  return receive(progress, reading, response, part)
}

/**
 * Whether only the client can tell where a body ends. A browser may have decoded a body from another origin, and show its
 * `Content-Length` without its `Content-Encoding`.
 */
const isOpen = ({ asked, version }: Progress): boolean => version === undefined && asked === undefined

/** The part for such a body, which is never resumed. */
const open: Resumption.Part = { start: 0, end: undefined, until: undefined, total: undefined }

type Failure = HttpClientError.ResponseError | DownloadFailed

const statusError = (response: Response): HttpClientError.ResponseError =>
  new HttpClientError.ResponseError({ request: response.request, response, reason: "StatusCode" })

const refused = (progress: Progress, reason: Resumption.Refusal): Effect.Effect<never, DownloadFailed> =>
  Effect.fail(new DownloadFailed({ reason, received: progress.received }))

/** Cancels the body of a failed download, which no caller sees. */
const unread = <E>(response: Response, failed: Effect.Effect<never, E>): Effect.Effect<never, E> =>
  Effect.zipRight(Discard.cancelled(response), failed)

const notResumable = (progress: Progress): Effect.Effect<never, DownloadFailed> =>
  refused(progress, { _tag: "NotResumable", why: progress.why })

const begin = (progress: Progress, response: Response, { start }: Resumption.Part): void => {
  const why = Resumption.whyNotResumable(progress.method, response)
  const found = Option.firstSomeOf(progress.validators.map((find) => find(response)))
  progress.position = start
  progress.version = why === undefined ? Option.getOrUndefined(found) : undefined
  progress.why = why ?? "the first answer has no strong validator"
}

const receive = (
  progress: Progress,
  reading: number,
  response: Response,
  part: Resumption.Part
): Effect.Effect<void, Failure> => {
  const taken = BodyLine.forEachPieces(response.stream, (chunk) => take(progress, reading, part, chunk))
  return Effect.matchEffect(taken, {
    onFailure: (error) => (isEmptyBody(error) ? ended(progress, response, part) : broken(progress, error)),
    onSuccess: () => ended(progress, response, part)
  })
}

const ended = (progress: Progress, response: Response, { end = 0 }: Resumption.Part): Effect.Effect<void, Failure> => {
  const { known, method, position } = progress
  const isShort = method !== "HEAD" && position < Math.max(end, known.until ?? 0)
  return isShort ? broken(progress, shortened(response)) : Effect.void
}

/** A body that breaks after the last wanted byte is complete. */
const broken = (progress: Progress, error: Failure): Effect.Effect<void, Failure> => {
  const { received, version } = progress
  if (error._tag === "DownloadFailed") return Effect.fail(error)
  if (isWhole(progress)) return Effect.void
  if (received === 0 || version !== undefined) return Effect.fail(error)
  progress.cause = error
  return notResumable(progress)
}

const isWhole = ({ known, position }: Progress): boolean => position >= (known.until ?? Infinity)

/** Streaming a response with an empty body fails. */
const isEmptyBody = (error: Failure): boolean => ClientLine.reasonOf(error) === "EmptyBody"

/** Judged like any other connection that ends too early. */
const shortened = (response: Response): HttpClientError.ResponseError =>
  new HttpClientError.ResponseError({
    request: response.request,
    response,
    reason: "Decode",
    cause: Object.assign(new Error("the body ended before its length"), { code: "ERR_STREAM_PREMATURE_CLOSE" })
  })

const take = (
  progress: Progress,
  reading: number,
  { end = Infinity }: Resumption.Part,
  chunk: Iterable<Uint8Array>
): Effect.Effect<void, DownloadFailed> =>
  Effect.suspend(() => {
    // Another reading has replaced this one, which could not be interrupted.
    if (progress.reading !== reading) return Effect.interrupt
    const fitting: Array<Uint8Array> = []
    let place = progress.position
    for (const bytes of chunk) {
      const kept = bytes.subarray(0, Math.max(0, end - place))
      if (kept.length > 0) fitting.push(kept)
      place += bytes.length
    }
    const taken = Math.min(place, end)
    progress.received += taken - progress.position
    progress.position = taken
    const emitted = progress.emit(fitting)
    if (place > end) return refused(progress, tooLong)
    // The body ends with its last byte, so an attempt that runs out of time must not miss the end.
    return isWhole(progress) ? Effect.void : emitted
  })

const tooLong: Resumption.Refusal = { _tag: "WrongPart", why: "more bytes than the answer said" }

/**
 * The result of a download whose operation has failed. If a client refuses the status of an answer to a request for the
 * rest, the answer is released; it may say that nothing is left.
 */
export const failed = (progress: Progress, error: unknown): Effect.Effect<void, unknown> => {
  if (progress.received === 0 || !isOfStatus(error)) return Effect.fail(failure(progress, error))
  const { known, position, received, version } = progress
  const { response } = error
  if (!Resumption.isRefusal(response.status)) return unread(response, Effect.fail(error))
  const reason = Resumption.rest(response, { position, ...known }, version?.isSame(response))
  if (reason._tag === "Whole") return Discard.cancelled(response)
  return unread(
    response,
    Effect.fail(reason._tag === "Part" ? error : new DownloadFailed({ reason, received, cause: error }))
  )
}

const isOfStatus = (error: unknown): error is ClientLine.ResponseError =>
  ClientLine.isResponseError(error) && ClientLine.reasonOf(error) === "StatusCode"

/** The failure with its known cause. */
const failure = ({ cause, received }: Progress, error: unknown): unknown =>
  error instanceof DownloadFailed ? new DownloadFailed({ reason: error.reason, received, cause }) : error
