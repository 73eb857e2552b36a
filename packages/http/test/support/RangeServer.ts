/**
 * A scripted server of one file that has versions, breaks off, and answers ranges well or badly.
 */
import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { Clock, Effect } from "effect"
import type { Call } from "./ScriptedClient.ts"
import * as Faults from "./Faults.ts"

/** How one request is answered. What is left out is as a server should do it. */
export interface Step {
  /** Another status, without a look at the request. */
  readonly status?: number
  /** No answer at all. */
  readonly unreachable?: boolean
  /** The version that the server has from now on. */
  readonly version?: number
  /** The body breaks after so many bytes. */
  readonly breaksAfter?: number
  /** The body ends after so many bytes, as if that were all. */
  readonly endsAfter?: number
  /** The body has so many bytes more than it should. */
  readonly excess?: number
  readonly ignores?: "range" | "conditions"
  /** A part of the range only. */
  readonly atMost?: number
  readonly headers?: { readonly [name: string]: string | undefined }
}

export interface File {
  readonly length: number
  readonly validator: "tag" | "tag and date" | "weak" | "date" | "fresh date" | "none"
  readonly announcesLength?: boolean
}

const date = "Sun, 22 Nov 2026 12:00:00 GMT"

/** No two versions have the same byte at the same place. */
export const content = ({ length }: File, version: number): Uint8Array =>
  Uint8Array.from({ length }, (_, place) => (place * 7 + version * 41) % 256)

const validatorOf = ({ validator }: File, version: number): Record<string, string> => {
  const second = String(version % 60).padStart(2, "0")
  switch (validator) {
    case "tag":
      return { etag: `"v${version}"` }
    case "tag and date":
      return { etag: `"v${version}"`, "last-modified": `Sun, 22 Nov 2026 11:00:${second} GMT` }
    case "weak":
      return { etag: `W/"v${version}"` }
    case "date":
      return { "last-modified": `Sun, 22 Nov 2026 11:00:${second} GMT` }
    case "fresh date":
      return { "last-modified": date }
    case "none":
      return {}
  }
}

const streamed = (bytes: Uint8Array, breaks: boolean, chunkBytes: number): ReadableStream<Uint8Array> => {
  let place = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (place < bytes.length) {
          controller.enqueue(bytes.slice(place, place + chunkBytes))
          place += chunkBytes
        } else if (breaks) controller.error(Faults.terminated(Faults.reset))
        else controller.close()
      }
    },
    { highWaterMark: 0 }
  )
}

export const make = (file: File, steps: ReadonlyArray<Step>, chunkBytes = 3) => {
  const calls: Array<Call> = []
  let version = 0
  const client = HttpClient.make((request, _, signal) =>
    Effect.flatMap(Clock.currentTimeMillis, (atMillis) => {
      const step = steps[calls.length] ?? {}
      calls.push({ request, atMillis, signal })
      version = step.version ?? version
      if (step.unreachable === true) {
        return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: Faults.reset }))
      }
      const { body, headers, status } = answer(file, version, request.headers, step)
      const given = Object.entries({ date, ...headers, ...step.headers }).filter(
        (header): header is [string, string] => header[1] !== undefined
      )
      const web = new Response(
        body && status !== 204 ? streamed(body, step.breaksAfter !== undefined, chunkBytes) : null,
        { status, headers: given }
      )
      return Effect.succeed(HttpClientResponse.fromWeb(request, web))
    })
  )
  return { calls, client }
}

const answer = (
  file: File,
  version: number,
  asked: { readonly [name: string]: string | undefined },
  step: Step
): { readonly status: number; readonly headers: Record<string, string>; readonly body?: Uint8Array } => {
  const whole = content(file, version)
  const validator = validatorOf(file, version)
  if (step.status !== undefined) return { status: step.status, headers: validator, body: new Uint8Array(2) }
  const obeys = step.ignores !== "conditions"
  if (obeys && asked["if-match"] !== undefined && asked["if-match"] !== validator["etag"]) {
    return { status: 412, headers: validator }
  }
  const isCurrent = asked["if-range"] === undefined || asked["if-range"] === validator["last-modified"]
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(asked["range"] ?? "") ?? []
  if (first === undefined || step.ignores === "range" || (obeys && !isCurrent)) {
    const length: Record<string, string> = file.announcesLength === false ? {} : { "content-length": `${file.length}` }
    return { status: 200, headers: { ...validator, ...length }, body: cut(whole, step) }
  }
  const start = Number(first)
  if (start >= file.length) return { status: 416, headers: { "content-range": `bytes */${file.length}` } }
  const wanted = last === "" || last === undefined ? file.length : Math.min(Number(last) + 1, file.length)
  const end = Math.min(wanted, start + Math.max(1, step.atMost ?? Infinity))
  const headers = { ...validator, "content-range": `bytes ${start}-${end - 1}/${file.length}` }
  return { status: 206, headers, body: cut(whole.subarray(start, end), step) }
}

const cut = (bytes: Uint8Array, { breaksAfter, endsAfter, excess = 0 }: Step): Uint8Array => {
  const all = Uint8Array.from([...bytes, ...new Uint8Array(excess).fill(1)])
  return all.subarray(0, Math.min(breaksAfter ?? Infinity, endsAfter ?? Infinity))
}
