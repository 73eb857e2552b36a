/**
 * Judges the answer to a request of a resumable upload: how the upload continues, or why it cannot.
 *
 * Pure, and looks at one answer only. The policy decides whether and how often to retry a failure.
 *
 * @example
 * ```ts
 * import { UploadVerdict } from "@effect-retry/google"
 * import * as assert from "node:assert"
 *
 * const chunk = { asked: "Chunk", sent: 524_288, total: undefined } as const
 *
 * assert.deepStrictEqual(UploadVerdict.judge(chunk, { status: 308, headers: { range: "bytes=0-262143" } }), {
 *   _tag: "Continue",
 *   offset: 262_144
 * })
 * assert.deepStrictEqual(UploadVerdict.judge(chunk, { status: 308, headers: { range: "bytes=0-1048575" } }), {
 *   _tag: "DataLoss",
 *   why: "the server acknowledges more bytes than were sent"
 * })
 * ```
 *
 * Sources: https://docs.cloud.google.com/storage/docs/performing-resumable-uploads, read 2026-11-22;
 * https://github.com/googleapis/java-storage at 679cddd, ResumableSessionFailureScenario.java and
 * JsonResumableSessionPutTask.java; of 404 and 410 https://github.com/GoogleCloudPlatform/gsutil at cdd4555.
 */

/**
 * What a request to a session asked for, by its `Content-Range`:
 *
 * - `Chunk`: to append bytes, and more will follow (`bytes 0-262143/*`).
 * - `LastChunk`: to append bytes, and to finish (`bytes 262144-300000/300001`).
 * - `Finish`: to finish with what the server has (`bytes *\/300001`).
 * - `Status`: how much the server has (`bytes *\/*`).
 *
 * @category models
 */
export type Asked = "Chunk" | "LastChunk" | "Finish" | "Status"

/**
 * A request to a session, and what is known about the upload.
 *
 * @category models
 */
export interface Situation {
  readonly asked: Asked
  /** How many bytes of the object have been sent to the session; `undefined` if another process sent them. */
  readonly sent: number | undefined
  /** The size of the whole object in bytes, if known. */
  readonly total: number | undefined
}

/**
 * The relevant parts of an answer. Names of headers are in lower case.
 *
 * @category models
 */
export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** The whole body. An answer whose body breaks off counts as none. @default "" */
  readonly body?: string | undefined
}

/**
 * How an upload continues.
 *
 * @category models
 */
export type UploadVerdict =
  /** The object exists, with as many bytes as were sent. */
  | { readonly _tag: "Done"; readonly size: number; readonly resource: Resource }
  /** The server has the bytes before `offset`, which is the next one to send. */
  | { readonly _tag: "Continue"; readonly offset: number }
  /** It is unknown how much the server has: ask, and continue from there. */
  | { readonly _tag: "QueryStatus"; readonly why: string }
  /** The session is gone. A new one begins from the first byte, and is safe only if its start may be repeated. */
  | { readonly _tag: "StartSession"; readonly why: string }
  /** The server refuses the request for a reason that a repetition does not change. */
  | { readonly _tag: "Refused"; readonly why: string }
  /** What the server has is not what was sent. Permanent. */
  | { readonly _tag: "DataLoss"; readonly why: string }
  /** The request does not fit the upload, or the answer does not follow the protocol. Permanent. */
  | { readonly _tag: "Invalid"; readonly why: string }

/**
 * The resource of an object as the server sent it, unchecked; without fields if the server sent none.
 *
 * @category models
 */
export interface Resource {
  readonly [field: string]: unknown
}

/**
 * Judges an answer; `undefined` means that there was none, as after a reset connection.
 *
 * @category destructors
 */
export const judge = (situation: Situation, answer: Answer | undefined): UploadVerdict => {
  if (answer === undefined) return query("no answer")
  const { status } = answer
  if (isIncomplete(answer)) return ofIncomplete(situation, answer.headers["range"])
  if (status === 200 || status === 201) return ofComplete(situation, answer)
  if (isAhead(answer)) return dataLoss("the request began behind the bytes that the server has")
  if (status === 404 || status === 410) return { _tag: "StartSession", why: `status ${status}` }
  if (status === 408 || status === 429 || (status >= 500 && status < 600)) return query(`status ${status}`)
  return status >= 400 && status < 500 ? { _tag: "Refused", why: `status ${status}` } : invalid(`status ${status}`)
}

const query = (why: string): UploadVerdict => ({ _tag: "QueryStatus", why })
const dataLoss = (why: string): UploadVerdict => ({ _tag: "DataLoss", why })
const invalid = (why: string): UploadVerdict => ({ _tag: "Invalid", why })

/**
 * With `X-Guploader-No-308: yes` in the request, a server sends status 200 and puts 308 into a header.
 *
 * Source: https://github.com/googleapis/google-api-go-client at 045facb, internal/gensupport/resumable.go.
 */
const isIncomplete = ({ headers, status }: Answer): boolean =>
  status === 308 || (status >= 200 && status < 300 && headers["x-http-status-code-override"]?.trim() === "308")

const ofIncomplete = ({ asked, sent, total }: Situation, range: string | undefined): UploadVerdict => {
  const stored = storedBytes(range)
  if (stored === undefined) return invalid("an answer with a Range of another form")
  const finishes = asked === "LastChunk" || asked === "Finish"
  if (stored > (sent ?? total ?? Infinity)) {
    return finishes
      ? invalid("the upload was to finish with fewer bytes than the server has")
      : dataLoss("the server acknowledges more bytes than were sent")
  }
  return asked === "Finish" && stored < (total ?? 0)
    ? dataLoss("the upload was to finish with more bytes than the server has")
    : { _tag: "Continue", offset: stored }
}

/** Up to fifteen digits: every such number is exact. The server's bytes always begin with the first one. */
const form = /^bytes=0-(\d{1,15})$/i

/** No header: no bytes. `undefined` for a header of another form. */
const storedBytes = (range: string | undefined): number | undefined => {
  if (range === undefined) return 0
  const last = form.exec(range.trim())?.[1]
  return last === undefined ? undefined : Number(last) + 1
}

const ofComplete = ({ asked, sent, total }: Situation, { body = "", headers }: Answer): UploadVerdict => {
  const isBare = body.trim() === ""
  const resource = isBare ? {} : resourceOf(body)
  if (resource === undefined) return query("an answer that broke off")
  const told = isBare ? headers[storedLength]?.trim() : resource["size"]
  if (isBare && told === undefined) return query("an answer without a body")
  if (asked === "Chunk" || (total === undefined && sent !== undefined)) {
    return invalid("the upload has been finished already, and bytes were to follow")
  }
  // Servers leave out fields with the value 0. Source: googleapis/storage-testbench e8c8507, testbench/proto2rest.py.
  const size = told === undefined ? 0 : sizeOf(told)
  if (size !== undefined && (total === undefined || size === total)) return { _tag: "Done", size, resource }
  if (size === undefined || told === undefined) return invalid("an answer without the size of the object")
  return dataLoss(`the object has ${size < (total ?? 0) ? "fewer" : "more"} bytes than were sent`)
}

/** `undefined` if the body is cut. */
const resourceOf = (body: string): Resource | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Resource) : undefined
  } catch {
    return undefined
  }
}

/** The XML API answers without a body. Source: https://docs.cloud.google.com/storage/docs/xml-api/reference-headers. */
const storedLength = "x-goog-stored-content-length"

/** The JSON API writes 64-bit numbers as texts. */
const sizeOf = (value: unknown): number | undefined =>
  (typeof value === "string" && /^\d{1,15}$/.test(value)) || (Number.isSafeInteger(value) && Number(value) >= 0)
    ? Number(value)
    : undefined

/** The status is 503, but a repetition would get the same answer, so the text is checked. */
const isAhead = ({ body = "", headers, status }: Answer): boolean =>
  status >= 400 && /^\s*text\/plain/i.test(headers["content-type"] ?? "") && saysAhead(body.toLowerCase())

/** Two searches, because one pattern for both words takes quadratic time if the first word is repeated. */
const saysAhead = (body: string): boolean => {
  const at = body.indexOf("content-range")
  return at !== -1 && body.includes("exceeds", at)
}
