/**
 * One bucket of Cloud Storage in memory that takes resumable uploads, with a script of faults.
 */
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Checksum } from "@effect-retry/google"
import { Clock, type Duration, Effect } from "effect"
import { createHash } from "node:crypto"

export const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" })

/** How one request is answered. What is left out is as a server should do it. */
export interface Fault {
  /** Another status, and nothing is done. */
  readonly status?: number
  /** A connection that breaks before the request is carried out, or after that. */
  readonly reset?: "before" | "after"
  /** So many bytes of the chunk are kept. With a status, the request fails then. */
  readonly keeps?: number
  /** The server loses its session. */
  readonly loses?: boolean
  /** Other headers; `undefined` takes one away. */
  readonly headers?: { readonly [name: string]: string | undefined }
  readonly body?: string
  /** The body breaks after so many bytes. */
  readonly breaksAfter?: number
  /** The body never ends. */
  readonly hangs?: boolean
  /** When the request is carried out, and answered. */
  readonly after?: Duration.DurationInput
  /** The client does not let itself be interrupted. */
  readonly isUninterruptible?: boolean
}

interface Call {
  /** `start`, or the `Content-Range`. */
  readonly asked: string
  readonly request: HttpClientRequest.HttpClientRequest
  readonly atMillis: number
}

interface Session {
  bytes: Uint8Array
  isFinished: boolean
}

export const origin = "https://storage.test"
export const secret = "AD-8ljtSecretOfTheSession"

export const make = (...faults: ReadonlyArray<Fault>) => {
  const calls: Array<Call> = []
  const sessions = new Map<string, Session>()
  const objects: Array<Uint8Array> = []
  /** Bodies of answers that were neither read to their end nor cancelled. */
  const open = new Set<number>()
  /** Requests that were given up before their answer. */
  const interrupted: Array<number> = []
  const client = HttpClient.make((request, url) =>
    Effect.flatMap(Clock.currentTimeMillis, (atMillis) => {
      const number = calls.length
      const fault = faults[number] ?? {}
      const asked = request.method === "POST" ? "start" : (request.headers["content-range"] ?? "")
      calls.push({ asked, request, atMillis })
      const broken = Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: reset }))
      const answered = Effect.suspend(() => {
        if (fault.reset === "before") return broken
        const answer = carriedOut(request, url, fault)
        return fault.reset === "after" ? broken : Effect.succeed(responded(number, request, answer, fault))
      })
      const delayed = fault.after === undefined ? answered : Effect.delay(answered, fault.after)
      const noting = Effect.onInterrupt(delayed, () => Effect.sync(() => interrupted.push(number)))
      return fault.isUninterruptible === true ? Effect.uninterruptible(noting) : noting
    })
  )

  const responded = (
    number: number,
    request: HttpClientRequest.HttpClientRequest,
    answer: Answer,
    { body = answer.body, breaksAfter = Infinity, hangs, headers = {} }: Fault
  ) => {
    const given = Object.entries({ ...answer.headers, ...headers }).filter(
      (header): header is [string, string] => header[1] !== undefined
    )
    const bytes = new TextEncoder().encode(body)
    open.add(number)
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.enqueue(bytes.subarray(0, breaksAfter))
          if (hangs === true) return new Promise<void>(() => undefined)
          open.delete(number)
          if (breaksAfter < bytes.length) controller.error(reset)
          else controller.close()
          return undefined
        },
        cancel: () => void open.delete(number)
      },
      { highWaterMark: 0 }
    )
    const web = new Response(answer.status === 204 ? null : stream, { status: answer.status, headers: given })
    return HttpClientResponse.fromWeb(request, web)
  }

  interface Answer {
    readonly status: number
    readonly headers: Record<string, string>
    readonly body: string
  }

  const carriedOut = (request: HttpClientRequest.HttpClientRequest, url: URL, fault: Fault): Answer => {
    if (fault.status !== undefined && fault.keeps === undefined) return plain(fault.status)
    if (request.method === "POST") {
      const id = `${secret}${sessions.size}`
      sessions.set(id, { bytes: new Uint8Array(0), isFinished: false })
      const location = `${url.origin}${url.pathname}?uploadType=resumable&upload_id=${id}`
      return { status: 200, headers: { location, "x-guploader-uploadid": id }, body: "" }
    }
    const id = url.searchParams.get("upload_id") ?? ""
    if (fault.loses === true) sessions.delete(id)
    const session = sessions.get(id)
    return session === undefined ? plain(404) : written(session, request, fault)
  }

  const written = (session: Session, { body, headers }: HttpClientRequest.HttpClientRequest, fault: Fault): Answer => {
    const bytes = body._tag === "Uint8Array" ? body.body : new Uint8Array(0)
    const [, first, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(headers["content-range"] ?? "") ?? []
    if (!session.isFinished && first !== undefined) {
      if (Number(first) > session.bytes.length) return ahead
      const kept = bytes.subarray(0, fault.keeps ?? Infinity)
      // Bytes that come again are skipped.
      const known = session.bytes.length - Number(first)
      session.bytes = Buffer.concat([session.bytes, kept.subarray(known)])
    }
    if (fault.status !== undefined) return plain(fault.status)
    if (!session.isFinished && Number(total) === session.bytes.length) {
      session.isFinished = true
      objects.push(session.bytes)
    }
    if (session.isFinished) return object(session.bytes)
    const range: Record<string, string> =
      session.bytes.length > 0 ? { range: `bytes=0-${session.bytes.length - 1}` } : {}
    return headers["x-guploader-no-308"] === "yes"
      ? { status: 200, headers: { ...range, "x-http-status-code-override": "308" }, body: "" }
      : { status: 308, headers: range, body: "" }
  }

  return { calls, client, interrupted, objects, open, sessions }
}

const plain = (status: number) => ({ status, headers: {}, body: `status ${status}` })

const ahead = {
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "Invalid request.  According to the Content-Range header, the upload offset is 4 byte(s), which exceeds already uploaded size of 0 byte(s)."
}

const object = (bytes: Uint8Array) => {
  const { crc32c } = Checksum.of(bytes, ["crc32c"])
  const resource = {
    kind: "storage#object",
    name: "cat",
    generation: "1700000000000001",
    size: `${bytes.length}`,
    crc32c,
    md5Hash: createHash("md5").update(bytes).digest("base64")
  }
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(resource) }
}

/** What was asked, in the order of the requests. */
export const asked = (calls: ReadonlyArray<Call>): ReadonlyArray<string> => calls.map(({ asked }) => asked)

/** Bytes of which no two chunks are the same. */
export const content = (length: number): Uint8Array =>
  new Uint8Array(length).map((_, place) => place * 7 + (place >> 8) * 13 + (place >> 16) * 3)

/** Whether two lists of objects have the same bytes: their elements take long to compare one by one. */
export const areSame = (one: ReadonlyArray<Uint8Array>, other: ReadonlyArray<Uint8Array>): boolean =>
  one.length === other.length &&
  one.every((bytes, index) => Buffer.compare(bytes, other[index] ?? bytes.subarray(1)) === 0)
