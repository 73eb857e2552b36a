/**
 * Sessions of resumable uploads.
 *
 * Source: https://cloud.google.com/storage/docs/performing-resumable-uploads.
 */
import { randomUUID } from "node:crypto"
import { type Answer, empty, json, refuse, Refused, text } from "./Answer.ts"
import type { Call, Operation } from "./Call.ts"
import * as Objects from "./Objects.ts"
import * as Preconditions from "./Preconditions.ts"
import { bucketOf, type Draft, type State, type Upload } from "./State.ts"

/** The preconditions are checked when the upload completes. */
export const startSession = ({ headers, origin, param, query, state }: Call, draft: Draft): Answer => {
  const bucket = bucketOf(state, param("bucket")).name
  const id = randomUUID().replaceAll("-", "")
  const announced = headers["x-upload-content-length"]
  state.uploads.set(id, {
    id,
    bucket,
    draft,
    preconditions: Preconditions.read(query),
    announcedSize: announced === undefined ? undefined : Number(announced),
    chunks: [],
    size: 0,
    object: undefined
  })
  return empty(200, {
    location: `${origin}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&upload_id=${id}`,
    "x-guploader-uploadid": id
  })
}

/** The session of a call, or a refusal. */
const sessionOf = ({ query, state }: Call): Upload => {
  const id = query.get("upload_id") ?? refuse(400, "Required parameter: upload_id")
  return state.uploads.get(id) ?? refuse(404, "Upload session not found.")
}

/** Where a chunk begins and how long the object will be, as far as `Content-Range` tells. */
interface Place {
  /** `undefined` for a question about what is persisted. */
  readonly first: number | undefined
  readonly total: number | undefined
}

/** Without the header, the body is the whole object. */
const placeOf = (header: string | undefined, upload: Upload, body: Buffer): Place => {
  if (header === undefined) return { first: 0, total: body.length }
  const [, range = "", size = ""] = /^bytes (\*|\*-\*|\d+-\d+|\d+-\*)\/(\d+|\*)$/.exec(header) ?? refuse(400, invalid)
  const total = size === "*" ? undefined : Number(size)
  if (total !== undefined && upload.announcedSize !== undefined && total !== upload.announcedSize) {
    refuse(400, `The size ${total} is not the announced size ${upload.announcedSize}.`)
  }
  if (range === "*") return { first: undefined, total }
  const [start = "", last = ""] = range.split("-")
  const first = start === "*" ? upload.size : Number(start)
  const end = first + body.length
  if (last !== "*" && Number(last) + 1 !== end) refuse(400, invalid)
  // Of neither end nor size known, the object ends with the body.
  return { first, total: total ?? (last === "*" ? (upload.announcedSize ?? end) : undefined) }
}

const invalid = "Failed to parse Content-Range header."

/** Appends what is not persisted yet, up to `end`. */
const persist = (state: State, upload: Upload, first: number, body: Buffer, end: number): Upload => {
  const more = body.subarray(Math.max(0, upload.size - first), Math.max(0, end - first))
  if (more.length === 0) return upload
  const grown = { ...upload, chunks: [...upload.chunks, more], size: upload.size + more.length }
  state.uploads.set(upload.id, grown)
  return grown
}

/**
 * A chunk, a question about what is persisted, or the end of an upload.
 *
 * A fault after so many bytes persists just these, and fails every request that comes when they are persisted.
 */
export const chunk: Operation = (call) => {
  const { body, headers, origin, state, uploadFault } = call
  const upload = sessionOf(call)
  if (upload.object !== undefined) return json(Objects.render(upload.object, origin))
  const { first, total } = placeOf(headers["content-range"], upload, body)
  if (first === undefined) return upload.size === total ? complete(call, upload) : incomplete(upload)
  if (first > upload.size) throw new Refused({ answer: gap(first, upload.size) })
  const end = first + body.length
  if (total !== undefined && end > total) refuse(400, `The chunk ends at ${end}, after the size ${total}.`)
  if (uploadFault !== undefined) {
    const isInside = uploadFault.bytes > upload.size && uploadFault.bytes <= end
    const grown = isInside ? persist(state, upload, first, body, uploadFault.bytes) : upload
    if (grown.size >= uploadFault.bytes) uploadFault.fail()
  }
  const grown = persist(state, upload, first, body, end)
  return grown.size === total ? complete(call, grown) : incomplete(grown, headers["x-guploader-no-308"])
}

/** Bytes are missing before the chunk: no repetition of the request helps, although the status says so. */
const gap = (first: number, size: number): Answer =>
  text(
    503,
    `Invalid request.  According to the Content-Range header, the upload offset is ${first} byte(s), ` +
      `which exceeds already uploaded size of ${size} byte(s).`
  )

const complete = ({ headers, origin, state }: Call, upload: Upload): Answer => {
  const draft = Objects.announcing({ ...upload.draft, data: Buffer.concat(upload.chunks) }, headers)
  const object = Objects.write(state, bucketOf(state, upload.bucket), draft, upload.preconditions)
  state.uploads.set(upload.id, { ...upload, chunks: [], object })
  return json(Objects.render(object, origin))
}

/** The range is left out as long as one byte at most is persisted. A question is answered with 308 in any case. */
const incomplete = ({ size }: Upload, no308?: string | ReadonlyArray<string>): Answer => {
  const range: Record<string, string> = size > 1 ? { range: `bytes=0-${size - 1}` } : {}
  return no308 === "yes" ? empty(200, { ...range, "x-http-status-code-override": "308" }) : empty(308, range)
}

export const cancel: Operation = (call) => {
  call.state.uploads.delete(sessionOf(call).id)
  return empty(499)
}
