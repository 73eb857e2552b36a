/**
 * A resumable upload from its start to its object: the operations under the policy, one after another.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { Verdict } from "@effect-retry/core"
import type { Classifier, Deadline } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import * as TimeLeft from "@effect-retry/core/unstable/TimeLeft"
import { HttpRetry, Idempotency } from "@effect-retry/http"
import * as Options from "../../accept/Options.ts"
import * as Owner from "../../accept/Owner.ts"
import { said } from "../../accept/Said.ts"
import * as Checksum from "../../classify/Checksum.ts"
import * as ChecksumArguments from "../../classify/ChecksumArguments.ts"
import { ChecksumMismatch } from "../storage/ChecksumMismatch.ts"
import * as ClientLine from "@effect-retry/http/unstable/ClientLine"
import { made } from "@effect-retry/http/unstable/MadeClient"
import * as Address from "./Address.ts"
import * as Failed from "./Failed.ts"
import * as Session from "./Session.ts"
import * as Shown from "./Shown.ts"
import * as Source from "./Source.ts"
import { announcing } from "./Start.ts"
import * as StorageRetry from "../storage/StorageRetry.ts"

/** A client without its types. */
export type Client = HttpClient.HttpClient.With<unknown, unknown>

/**
 * An uploaded object.
 *
 * @category models
 */
export interface Uploaded {
  /** The size in bytes, equal to what was sent. */
  readonly size: number
  readonly generation: string | undefined
  /** The object's resource as the server sent it, unchecked; without fields if the server sent none. */
  readonly resource: { readonly [field: string]: unknown }
  /** The checksums that the server sent and that match the source. */
  readonly verified: ReadonlyArray<Checksum.Algorithm>
}

/**
 * The progress of an upload. Offsets and sizes are in bytes.
 *
 * @category models
 */
export type Event =
  /** Keep the session like a password: for a week, it alone suffices to write the object. */
  | { readonly _tag: "SessionStarted"; readonly session: Redacted.Redacted<string> }
  /** The server was asked what it has, and has the bytes before `offset`. */
  | { readonly _tag: "Resumed"; readonly offset: number; readonly total: number | undefined }
  /** The server has the bytes before `offset`, out of `total`, if that is known. */
  | { readonly _tag: "Acknowledged"; readonly offset: number; readonly total: number | undefined }
  | { readonly _tag: "Finished"; readonly uploaded: Uploaded }

/** A policy without its types. */
type Policy = HttpRetry.Fields<never>

/** Options without their types. */
export interface Given {
  readonly start: HttpClientRequest.HttpClientRequest
  readonly source: Source.Source<unknown, unknown>
  readonly policy?: Policy | undefined
  readonly resumeFrom?: Redacted.Redacted<string> | undefined
  readonly chunkBytes?: number | undefined
  readonly checksums?: ReadonlyArray<Checksum.Algorithm> | undefined
}

/** Checked options with defaults. */
interface Upload {
  readonly client: Client
  readonly start: HttpClientRequest.HttpClientRequest
  readonly source: Source.Source<unknown, unknown>
  readonly policy: Policy
  readonly address: string | undefined
  readonly chunkBytes: number
  readonly checksums: ReadonlyArray<Checksum.Algorithm>
}

/** Makes an upload that reports its progress. Throws an `InvalidArgument` for a bad option. */
export const uploading = (
  owner: string,
  client: Client,
  options: Given
): ((tell: (event: Event) => void) => Effect.Effect<Uploaded, unknown, unknown>) => {
  const upload = checked(owner, client, options)
  return (tell) => Effect.mapError(Effect.scoped(uploaded(upload, tell)), Source.unwrapped)
}

/** Chunks are multiples of this. The default chunk is that of Go's client; `Options` gives the source. */
const quantumBytes = 262_144
const defaultChunkBytes = 16_777_216

const fields = { start: true, source: true, policy: true, resumeFrom: true, chunkBytes: true, checksums: true } as const

const checked = (owner: string, client: Client, options: Given): Upload => {
  made(owner, client)
  Options.checkFields(owner, Options.check(owner, options), fields)
  const { checksums = ["crc32c"], chunkBytes = defaultChunkBytes, policy = {}, resumeFrom, source, start } = options
  if (!ClientLine.isRequest(start)) Argument.refuse(owner, "start", "a request", typeof start)
  if (!Predicate.isRecord(source) || !Predicate.isFunction(source.open)) {
    Argument.refuse(owner, "source", "made by fromBytes, fromOffset or fromStream", typeof source)
  }
  if (!Number.isSafeInteger(chunkBytes) || chunkBytes < quantumBytes || chunkBytes % quantumBytes !== 0) {
    Argument.refuse(owner, "chunkBytes", "a multiple of 262144", chunkBytes)
  }
  if (!Predicate.isRecord(policy)) Argument.refuse(owner, "policy", "a record", policy)
  const address = resumeFrom === undefined ? undefined : checkedAddress(owner, resumeFrom, start)
  const complete = { ...StorageRetry.standard, ...said(policy) } as Policy
  Owner.calling(owner, () => HttpRetry.make(complete as HttpRetry.Fields<unknown>))
  return {
    client,
    start: announcing(start, source.size),
    source,
    policy: complete,
    address,
    chunkBytes,
    checksums: ChecksumArguments.algorithms(owner, checksums)
  }
}

/** Checks an address without ever showing it. */
const checkedAddress = (
  owner: string,
  kept: Redacted.Redacted<string>,
  start: HttpClientRequest.HttpClientRequest
): string => {
  const address = Redacted.isRedacted(kept) ? Redacted.value(kept) : undefined
  const found = typeof address === "string" ? Address.fromKept(address, start) : undefined
  const allowed = "a session of an event SessionStarted, of the origin of the start"
  return found ?? Argument.refuse(owner, "resumeFrom", allowed, "<redacted>")
}

const uploaded = (upload: Upload, tell: (event: Event) => void) =>
  Effect.gen(function* () {
    const { checksums, chunkBytes, policy, source, start } = upload
    const running = checksums.length === 0 ? undefined : Checksum.running(checksums)
    const reader = yield* Source.reader(source, chunkBytes, running)
    const declared = yield* Idempotency.Declared
    const rules = policy.idempotency ?? StorageRetry.standard.idempotency
    const judged = Idempotency.judge(rules, start, "Unknown", declared)
    const session = sessionOf(upload, reader, judged, tell)
    const further = yield* operations(upload, session)
    const step = steps(upload, session, declared)
    yield* further(session.address === undefined ? started(upload, session) : step)
    while (session.object === undefined) {
      // Outside the attempts: the time that the source takes is not the server's fault, and its errors are not for the
      // policy.
      yield* Session.window(session)
      yield* further(step)
    }
    const done = yield* verified(session.object, Source.digest(reader, session.object.size))
    tell({ _tag: "Finished", uploaded: done })
    return done
  })

const sessionOf = (
  { address, client, policy, source, start }: Upload,
  reader: Source.Reader,
  judged: Idempotency.Repeatable,
  tell: (event: Event) => void
): Session.Session => {
  const session: Session.Session = {
    client,
    start,
    source: reader,
    whyNotRestartable: judged._tag === "Repeatable" ? undefined : judged.why,
    maxSessions: policy.maxAttempts ?? StorageRetry.standard.maxAttempts,
    tell: (step) => tell(eventOf(step, session.total)),
    address,
    offset: 0,
    isSure: false,
    // Whatever another process has sent counts as progress, even if it is nothing.
    acknowledged: -1,
    furthest: 0,
    sent: undefined,
    total: source.size,
    sessions: address === undefined ? 0 : 1,
    isFurther: false,
    object: undefined,
    attempt: 0
  }
  return session
}

const eventOf = (step: Session.Step, total: number | undefined): Event =>
  step._tag === "Started" ? { _tag: "SessionStarted", session: Redacted.make(step.address) } : { ...step, total }

type Operation = Effect.Effect<unknown, unknown, unknown>

/** Runs operations one after another, each with the time left until their common deadline. */
const operations = ({ policy }: Upload, session: Session.Session): Effect.Effect<(operation: Operation) => Operation> =>
  Effect.map(Effect.clock, (clock) => {
    const deadline = policy.deadline as Deadline.Deadline<unknown> | undefined
    if (deadline === undefined) return (operation) => operation
    const sinceStart = MonotonicTime.since(clock)
    return (operation) =>
      Effect.suspend(() => {
        const elapsedMillis = sinceStart()
        if (!TimeLeft.mayStart(deadline, elapsedMillis)) {
          return Effect.fail(Session.failure(session, "DeadlinePassed", "the deadline has passed"))
        }
        const left = { ...deadline, withinMillis: deadline.withinMillis - elapsedMillis }
        return HttpRetry.withOptions(operation, { deadline: left as Deadline.Deadline })
      })
  })

/** The client under the policy; this package judges its own errors. */
const retrying = ({ policy }: Upload, client: HttpClient.HttpClient): Client => {
  const opinion: Classifier.Classifier<unknown> = (outcome, moment) =>
    ownVerdict(outcome) ??
    (policy.opinion as Classifier.Classifier<unknown> | undefined)?.(outcome, moment) ??
    Verdict.noOpinion
  const withRetry = StorageRetry.withRetry as unknown as (client: HttpClient.HttpClient, policy: Policy) => Client
  return withRetry(client, { ...policy, opinion })
}

const ownVerdict = (outcome: unknown): Verdict.Verdict | undefined => {
  if (outcome instanceof Source.SourceFailed) return Verdict.terminal("the source failed")
  if (!(outcome instanceof Failed.UploadFailed)) return undefined
  return Failed.isTransient(outcome) ? Verdict.transient : Verdict.terminal(outcome.reason.why)
}

/** Starts the first session. Its span shows no header with the address. */
const started = (upload: Upload, session: Session.Session): Operation => {
  const client = retrying(
    upload,
    attempts((request) => Session.start(session, request))
  )
  const sent = Effect.flatMap(client.execute(upload.start), (response) =>
    Session.isStarted(response) ? Effect.void : Effect.fail(statusError(response))
  )
  return ClientLine.hiding(sent, Shown.headersOfStart)
}

/** A client of attempts, which have spans like the platform's and pass them on. */
const attempts = (
  send: (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<unknown, unknown, unknown>
): HttpClient.HttpClient => HttpClient.make((request) => send(request) as never)

/** Advances the session beyond its furthest position. The caller's own declaration applies to further requests of the client. */
const steps = (upload: Upload, session: Session.Session, declared: string | undefined): Operation => {
  const client = retrying(
    upload,
    attempts((request) => Effect.provideService(Session.attempt(session, request), Idempotency.Declared, declared))
  )
  const step = Effect.suspend(() => {
    session.isFurther = false
    return Effect.flatMap(client.execute(Session.shownRequest(session)), (response) =>
      session.isFurther ? Effect.void : Effect.fail(statusError(response))
    )
  })
  // Whatever their addresses look like, for example those of the XML API.
  return Idempotency.declared(step, "requests to an upload session may always be repeated")
}

const statusError = (response: HttpClientResponse.HttpClientResponse): HttpClientError.ResponseError =>
  new HttpClientError.ResponseError({ request: response.request, response, reason: "StatusCode" })

const verified = (
  { resource, size }: NonNullable<Session.Session["object"]>,
  actual: Checksum.Checksums
): Effect.Effect<Uploaded, ChecksumMismatch> => {
  const generation = typeof resource["generation"] === "string" ? resource["generation"] : undefined
  const { compared, mismatch } = Checksum.compare(Checksum.fromResource(resource), actual)
  return mismatch === undefined
    ? Effect.succeed({ size, generation, resource, verified: compared })
    : Effect.fail(new ChecksumMismatch({ ...mismatch, generation }))
}
