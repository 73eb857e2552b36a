/**
 * Reading what is in an object.
 */
import type { Answer } from "./Answer.ts"
import { failure } from "./Answer.ts"
import type { Call } from "./Call.ts"
import { etag } from "./Objects.ts"
import type { StoredObject } from "./State.ts"

/** The first byte and the one after the last; `undefined` for a range that is not of this form, which is ignored. */
const rangeOf = (header: string | undefined, length: number): readonly [number, number] | undefined => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? []
  if (first === "") return last === "" ? undefined : [Math.max(0, length - Number(last)), length]
  return [Number(first), last === "" ? length : Math.min(Number(last) + 1, length)]
}

/** The whole object, or the range that is asked for. Whole answers have a `Content-Range`, too, of an empty object `bytes 0--1/0`. */
export const read = ({ headers }: Call, object: StoredObject): Answer => {
  const { length } = object.data
  const range = rangeOf(headers.range, length)
  const [first, end] = range ?? [0, length]
  if (range !== undefined && first >= end) {
    const refused = failure(416, "The requested range cannot be satisfied.")
    return { ...refused, headers: { ...refused.headers, "content-range": `bytes */${length}` } }
  }
  return {
    status: range === undefined ? 200 : 206,
    headers: { ...described(object), "content-range": `bytes ${first}-${end - 1}/${length}` },
    body: object.data.subarray(first, end)
  }
}

const described = (object: StoredObject): Record<string, string> => {
  const { contentDisposition, contentEncoding, storageClass = "STANDARD" } = object.fields
  const hashes = [`crc32c=${object.crc32c}`, ...(object.md5Hash === undefined ? [] : [`md5=${object.md5Hash}`])]
  return {
    "content-type": object.contentType,
    etag: etag(object),
    "x-goog-hash": hashes.join(","),
    "x-goog-generation": String(object.generation),
    "x-goog-metageneration": String(object.metageneration),
    "x-goog-storage-class": String(storageClass),
    "x-goog-stored-content-length": String(object.data.length),
    "x-goog-stored-content-encoding": String(contentEncoding ?? "identity"),
    ...(typeof contentEncoding === "string" && { "content-encoding": contentEncoding }),
    ...(typeof contentDisposition === "string" && { "content-disposition": contentDisposition })
  }
}
