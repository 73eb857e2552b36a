/**
 * Uploads in one request: the data alone, and with the metadata before it.
 */
import { json, readResource, refuse, type Resource } from "./Answer.ts"
import type { Call, Operation } from "./Call.ts"
import * as Objects from "./Objects.ts"
import * as Preconditions from "./Preconditions.ts"
import { chunk, startSession } from "./Resumable.ts"
import { bucketOf, type Draft } from "./State.ts"

/** What a caller says about an object, in the query and in the metadata. */
export const draftOf = ({ query }: Call, { contentType, ...resource }: Resource, data: Buffer, type: string): Draft => {
  const { bucket: _, name = query.get("name"), ...fields } = resource
  if (typeof name !== "string" || name === "") return refuse(400, "Required parameter: name")
  if (query.get("name") !== null && query.get("name") !== name)
    refuse(400, `Value '${name}' in content does not agree.`)
  return { name, data, contentType: typeof contentType === "string" ? contentType : type, fields }
}

const plain = "application/octet-stream"

const media = (call: Call): Draft => draftOf(call, {}, call.body, call.headers["content-type"] ?? plain)

/** A body of two parts, of which the first is the metadata. */
const multipart = (call: Call): Draft => {
  const [, quoted, token] = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(call.headers["content-type"] ?? "") ?? []
  const delimiter = Buffer.from(`--${quoted ?? token}`)
  const starts: Array<number> = []
  for (let at = call.body.indexOf(delimiter); at >= 0; at = call.body.indexOf(delimiter, at + delimiter.length)) {
    starts.push(at)
  }
  const [metadata, data, more] = starts.slice(0, -1).map((start, index) =>
    // A line ends before each delimiter, and after it.
    partOf(call.body.subarray(start + delimiter.length + 2, (starts[index + 1] ?? 0) - 2))
  )
  if (metadata === undefined || data === undefined || more !== undefined) return refuse(400, "Not a body of two parts")
  return draftOf(call, readResource(metadata.body), data.body, data.type)
}

const partOf = (part: Buffer): { readonly type: string; readonly body: Buffer } => {
  // A part without header fields begins with the empty line.
  const start = part.indexOf("\r\n") === 0 ? 0 : part.indexOf("\r\n\r\n") + 2
  const [, type = plain] = /^content-type:[ \t]*(.+?)\r?$/im.exec(part.subarray(0, start).toString("latin1")) ?? []
  return { type, body: part.subarray(start + 2) }
}

const single = (call: Call, draft: Draft) => {
  const { headers, origin, param, query, state, uploadFault } = call
  const bucket = bucketOf(state, param("bucket"))
  if (uploadFault !== undefined && draft.data.length >= uploadFault.bytes) uploadFault.fail()
  const object = Objects.write(state, bucket, Objects.announcing(draft, headers), Preconditions.read(query))
  return json(Objects.render(object, origin))
}

/** All requests that start an upload, and chunks of a session that come by POST. */
export const insert: Operation = (call) => {
  if (call.query.has("upload_id")) return chunk(call)
  switch (call.query.get("uploadType")) {
    case "media":
      return single(call, media(call))
    case "multipart":
      return single(call, multipart(call))
    case "resumable":
      return startSession(
        call,
        draftOf(call, readResource(call.body), Buffer.alloc(0), String(call.headers["x-upload-content-type"] ?? plain))
      )
    default:
      return refuse(400, "Required parameter: uploadType")
  }
}
