/**
 * Operations on single objects, and their list.
 */
import { empty, json, merged, readResource, refuse, type Resource } from "./Answer.ts"
import type { Call, Operation } from "./Call.ts"
import * as Media from "./Media.ts"
import * as Objects from "./Objects.ts"
import * as Preconditions from "./Preconditions.ts"
import { bucketOf, type StoredObject } from "./State.ts"

/** In pages, by `maxResults` and `pageToken`; with `delimiter`, what is below a folder is one prefix. */
export const list: Operation = ({ origin, param, query, state }) => {
  const bucket = bucketOf(state, param("bucket"))
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""]
  const names = [...bucket.objects.keys()].filter((name) => name.startsWith(prefix)).toSorted()
  const folderOf = (name: string): string | undefined => {
    const end = delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length)
    return end < 0 ? undefined : name.slice(0, end + delimiter.length)
  }
  const objects = names
    .filter((name) => folderOf(name) === undefined)
    .flatMap((name) => bucket.objects.get(name) ?? [])
    .filter(isListed(query))
  const start = Number(query.get("pageToken") ?? 0)
  const end = start + (Preconditions.number(query, "maxResults") ?? 1000)
  return json({
    kind: "storage#objects",
    items: objects.slice(start, end).map((object) => Objects.render(object, origin)),
    prefixes: [...new Set(names.flatMap((name) => folderOf(name) ?? []))],
    ...(end < objects.length && { nextPageToken: String(end) })
  })
}

const isListed = (query: URLSearchParams) => {
  const versions = query.get("versions") === "true"
  const softDeleted = query.get("softDeleted") === "true"
  return ({ state }: StoredObject): boolean =>
    softDeleted ? state === "softDeleted" : state === "live" || (versions && state === "noncurrent")
}

export const get: Operation = (call) => {
  const { object } = Objects.ofCall(call)
  return call.query.get("alt") === "media" ? Media.read(call, object) : json(Objects.render(object, call.origin))
}

/** The route of downloads answers with the data, whatever is asked for. */
export const download: Operation = (call) => Media.read(call, Objects.ofCall(call).object)

const withFields = (object: StoredObject, { contentType, ...fields }: Resource): Partial<StoredObject> => ({
  fields,
  contentType: typeof contentType === "string" ? contentType : object.contentType
})

export const update: Operation = (call) => {
  const { bucket, object } = Objects.ofCall(call)
  return changed(call, bucket, object, readResource(call.body))
}

export const patch: Operation = (call) => {
  const { bucket, object } = Objects.ofCall(call)
  return changed(call, bucket, object, merged(object.fields, readResource(call.body)))
}

const changed = ({ origin }: Call, bucket: Parameters<typeof Objects.change>[0], object: StoredObject, to: Resource) =>
  json(Objects.render(Objects.change(bucket, object, withFields(object, to)), origin))

export const remove: Operation = (call) => {
  const { bucket, object } = Objects.ofCall(call)
  Objects.remove(bucket, object)
  return empty(200)
}

/** Writes what was deleted as a new generation. */
export const restore: Operation = ({ origin, param, query, state }) => {
  const bucket = bucketOf(state, param("bucket"))
  const generation = Preconditions.number(query, "generation") ?? refuse(400, "Required parameter: generation")
  const found = bucket.objects
    .get(param("object"))
    ?.find((each) => each.generation === generation && each.state === "softDeleted")
  const deleted = found ?? refuse(404, "No such soft-deleted object.")
  const restored = Objects.write(state, bucket, deleted, Preconditions.read(query))
  return json(Objects.render(restored, origin))
}
