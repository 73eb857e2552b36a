/**
 * A session of a resumable upload: its position, and the requests of one attempt to advance it.
 */
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Discard } from "@effect-retry/http"
import * as ClientLine from "@effect-retry/http/unstable/ClientLine"
import * as Checksum from "../../classify/Checksum.ts"
import * as UploadVerdict from "../../decide/UploadVerdict.ts"
import * as Address from "./Address.ts"
import { type Reason, UploadFailed } from "./Failed.ts"
import * as Shown from "./Shown.ts"
import * as Source from "./Source.ts"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/** An upload. Made anew for each run of its effect; mutable. */
export interface Session {
  readonly client: HttpClient.HttpClient.With<unknown, unknown>
  /** The request that starts a session. */
  readonly start: Request
  readonly source: Source.Reader
  /** Why a lost session cannot be replaced by a new one; `undefined` if it can. */
  readonly whyNotRestartable: string | undefined
  /** How many sessions may be started one after another without progress. */
  readonly maxSessions: number
  readonly tell: (step: Step) => void
  /** Its address; `undefined` before its start and after its loss. */
  address: string | undefined
  /** The position of the next byte, as far as known. */
  offset: number
  /** Whether the server has confirmed it since the last failure. */
  isSure: boolean
  /** The most bytes that the server has acknowledged, in this session and in any. */
  acknowledged: number
  furthest: number
  /** How many bytes have been sent to the session; `undefined` if another process sent them. */
  sent: number | undefined
  total: number | undefined
  /** The number of sessions since the last progress, the running one included. */
  sessions: number
  /** Whether the running operation has advanced the upload. */
  isFurther: boolean
  object: Extract<UploadVerdict.UploadVerdict, { readonly _tag: "Done" }> | undefined
  /** The number of the attempt: only the latest one changes the session. */
  attempt: number
}

/** The state of an upload. */
export type Step =
  | { readonly _tag: "Started"; readonly address: string }
  | { readonly _tag: "Resumed"; readonly offset: number }
  | { readonly _tag: "Acknowledged"; readonly offset: number }

/** The session's own error. */
export const failure = (self: Session, _tag: Reason["_tag"], why: string): UploadFailed =>
  new UploadFailed({ reason: { _tag, why }, acknowledged: Math.max(0, self.acknowledged) })

const failed = (self: Session, _tag: Reason["_tag"], why: string): Effect.Effect<never, UploadFailed> =>
  Effect.fail(failure(self, _tag, why))

/** A request that represents the next attempts: the one that is shown and judged. */
export const shownRequest = ({ address, start }: Session): Request =>
  HttpClientRequest.put(Address.shown(address, start))

/**
 * One attempt: asks for the session's position, if it is unknown, and sends the bytes that follow. Returns the response
 * to its last request, and sets `isFurther` if the server has acknowledged more.
 */
export const attempt = (self: Session, shown: Request): Effect.Effect<Response, unknown, unknown> =>
  Effect.gen(function* () {
    self.attempt += 1
    if (self.address === undefined) {
      const refused = yield* restart(self, shown)
      if (refused !== undefined) return refused
    }
    if (!self.isSure) {
      const answered = yield* send(self, shown, { asked: "Status", bytes: nothing })
      if (self.isFurther || !self.isSure) return answered
    }
    return yield* sendNext(self, shown)
  })

const nothing = new Uint8Array(0)

const sendNext = (self: Session, shown: Request): Effect.Effect<Response, unknown, unknown> =>
  Effect.flatMap(window(self), ({ bytes, isLast }) => {
    if (isLast) self.total = self.offset + bytes.length
    const asked = !isLast ? "Chunk" : bytes.length === 0 ? "Finish" : "LastChunk"
    return Effect.filterOrElse(
      send(self, shown, { asked, bytes }),
      () => self.isFurther || !self.isSure,
      () => failed(self, "NoProgress", "the server acknowledges no more bytes")
    )
  })

/** The bytes that follow. */
export const window = (self: Session): Effect.Effect<Source.Window, unknown, unknown> =>
  Effect.catchTag(Source.window(self.source, self.offset), "NoBytes", ({ reason }) =>
    failed(self, reason._tag, reason.why)
  )

/** A part of an upload. */
interface Part {
  readonly asked: UploadVerdict.Asked
  readonly bytes: Uint8Array
}

/** Sends one request, and acts on its answer. */
const send = (self: Session, shown: Request, part: Part): Effect.Effect<Response, unknown, unknown> =>
  Effect.suspend(() => {
    const { attempt, offset } = self
    const situation = { asked: part.asked, sent: self.sent, total: self.total }
    // Until there is an answer, the outcome is unknown.
    self.isSure = false
    if (self.sent !== undefined) self.sent = Math.max(self.sent, offset + part.bytes.length)
    return Effect.flatMap(exchange(self, requestOf(self, shown, part), shown), ({ body, response }) => {
      // An attempt that could not be interrupted may end while the next one runs.
      if (self.attempt !== attempt) return Effect.interrupt
      const answer = answerOf(response, body)
      const verdict = UploadVerdict.judge({ ...situation, sent: self.sent }, answer)
      return Effect.as(follow(self, part.asked, verdict, response.status), Shown.response(response, shown, body))
    })
  })

const requestOf = (
  { address = "", offset, source, total }: Session,
  shown: Request,
  { asked, bytes }: Part
): Request => {
  const size = asked === "LastChunk" || asked === "Finish" ? String(total) : "*"
  const range = bytes.length === 0 ? "*" : `${offset}-${offset + bytes.length - 1}`
  const hash = size === "*" ? undefined : Checksum.toHeader(Source.digest(source, total ?? 0))
  return HttpClientRequest.put(address, {
    headers: {
      ...shown.headers,
      "content-range": `bytes ${range}/${size}`,
      // Otherwise clients that follow redirects may fail at a 308 without a `Location`.
      "x-guploader-no-308": "yes",
      ...(hash !== undefined && { "x-goog-hash": hash })
    },
    body: HttpBody.uint8Array(bytes)
  })
}

/** Acts on a verdict. The policy judges the response unless `isSure` is set afterwards. */
const follow = (
  self: Session,
  asked: UploadVerdict.Asked,
  verdict: UploadVerdict.UploadVerdict,
  status: number
): Effect.Effect<void, UploadFailed> => {
  switch (verdict._tag) {
    case "Done":
      return Effect.sync(() => {
        self.object = verdict
        self.isFurther = true
        self.acknowledged = verdict.size
      })
    case "Continue":
      return Effect.sync(() => goOn(self, asked, verdict.offset))
    case "QueryStatus":
      return status < 400 ? failed(self, "AnswerLost", verdict.why) : Effect.void
    case "Refused":
      return Effect.void
    case "StartSession":
      return lost(self, verdict.why)
    case "DataLoss":
    case "Invalid":
      return failed(self, verdict._tag, verdict.why)
  }
}

const goOn = (self: Session, asked: UploadVerdict.Asked, offset: number): void => {
  self.isSure = true
  self.offset = offset
  self.sent ??= offset
  if (offset > self.acknowledged) {
    self.acknowledged = offset
    self.isFurther = true
  }
  if (offset > self.furthest) {
    self.furthest = offset
    self.sessions = 1
  }
  if (asked === "Status") self.tell({ _tag: "Resumed", offset })
  else if (self.isFurther) self.tell({ _tag: "Acknowledged", offset })
}

const lost = (self: Session, why: string): Effect.Effect<never, UploadFailed> => {
  const { maxSessions, sessions, whyNotRestartable } = self
  if (whyNotRestartable !== undefined) return failed(self, "NotRestartable", `${why}: ${whyNotRestartable}`)
  if (sessions >= maxSessions)
    return failed(self, "NotRestartable", `${why}, in ${sessions} sessions one after another`)
  self.address = undefined
  return failed(self, "SessionLost", why)
}

/** Starts a session to replace a lost one. Returns the response if it is a failure. */
const restart = (self: Session, shown: Request): Effect.Effect<Response | undefined, unknown, unknown> =>
  Effect.map(started(self, HttpClientRequest.setHeaders(self.start, shown.headers), shown), (response) =>
    isStarted(response) ? undefined : response
  )

/** One attempt to start the first session. Returns the response without the address. */
export const start = (self: Session, request: Request): Effect.Effect<Response, unknown, unknown> =>
  Effect.suspend(() => {
    self.attempt += 1
    return started(self, request, request)
  })

/** Starts a session, and continues in it. `shown` represents the request in the outcome. */
const started = (self: Session, request: Request, shown: Request): Effect.Effect<Response, unknown, unknown> =>
  Effect.suspend(() => {
    const { attempt } = self
    return Effect.flatMap(exchange(self, request, shown), ({ body, response }) => {
      if (self.attempt !== attempt) return Effect.interrupt
      const begun = isStarted(response) ? begin(self, response) : Effect.void
      return Effect.as(begun, Shown.response(response, shown, body))
    })
  })

export const isStarted = ({ status }: Response): boolean => status === 200 || status === 201

/** Continues in the session that an answer to its start names. */
const begin = (self: Session, response: Response): Effect.Effect<void, UploadFailed> =>
  Effect.suspend(() => {
    const address = Address.fromLocation(response.headers["location"], response.request)
    if (address === undefined) return failed(self, "Invalid", "no session of the same origin was answered")
    Object.assign(self, { address, offset: 0, isSure: true, acknowledged: 0, sent: 0, sessions: self.sessions + 1 })
    self.tell({ _tag: "Started", address })
    return Effect.void
  })

/** A response with its body, read as far as `bounds` allow. */
interface Exchanged {
  readonly response: Response
  readonly body: Option.Option<Uint8Array>
}

/**
 * The resource of an object has at most 8 KiB of custom metadata, and lists of access rules.
 *
 * Source: https://docs.cloud.google.com/storage/quotas#objects. The factor and the time are this package's choice.
 */
const bounds: Discard.Drain = { atMostBytes: 1_048_576, within: "30 seconds" }

/**
 * Sends a request and reads its answer. The client's errors are rebuilt with `shown` as their request. The platform's
 * spans, which contain URLs and headers, are switched off, so that no span shows the address.
 */
const exchange = ({ client }: Session, request: Request, shown: Request): Effect.Effect<Exchanged, unknown, unknown> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(ClientLine.untraced(answered(client, request))), (response) =>
      Effect.map(restore(Discard.drained(response, bounds)), (body) => ({ response, body }))
    )
  ).pipe(Effect.catchAllCause((cause) => Effect.failCause(Shown.cause(cause, shown))))

/** A client may fail with a response because of its status, which still counts as the answer. Any other response is released. */
const answered = (client: HttpClient.HttpClient.With<unknown, unknown>, request: Request) =>
  Effect.catchAll(client.execute(request), (error) => {
    if (!ClientLine.isResponseError(error)) return Effect.fail(error)
    return ClientLine.reasonOf(error) === "StatusCode"
      ? Effect.succeed(error.response)
      : Effect.zipRight(Discard.cancelled(error.response), Effect.fail(error))
  })

/** The answer; `undefined` if its body, where it is needed, broke off. */
const answerOf = ({ headers, status }: Response, body: Option.Option<Uint8Array>): UploadVerdict.Answer | undefined => {
  if (Option.isNone(body) && status >= 200 && status < 300) return undefined
  return { status, headers, body: new TextDecoder().decode(Option.getOrElse(body, () => nothing)) }
}
