/**
 * Objects and their generations.
 */
import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { refuse, type Resource } from "./Answer.ts"
import type { Call } from "./Call.ts"
import * as Crc32c from "./Crc32c.ts"
import * as Preconditions from "./Preconditions.ts"
import { type Bucket, bucketOf, type Draft, etagOf, now, type State, type StoredObject } from "./State.ts"

/** Generations look like those of Cloud Storage: microseconds since 1970. */
const firstGeneration = 1_700_000_000_000_000

export const etag = ({ generation, metageneration }: StoredObject): string => etagOf(generation, metageneration)

const checksums = (data: Buffer): Pick<StoredObject, "crc32c" | "md5Hash"> => ({
  crc32c: Crc32c.base64(data),
  md5Hash: createHash("md5").update(data).digest("base64")
})

/** The generation that is current, if there is one. */
export const live = (bucket: Bucket, name: string): StoredObject | undefined =>
  bucket.objects.get(name)?.find(({ state }) => state === "live")

/** The generation that is asked for, the current one if none is; refuses with 404. */
export const find = (bucket: Bucket, name: string, generation: number | undefined): StoredObject =>
  (generation === undefined
    ? live(bucket, name)
    : bucket.objects.get(name)?.find((each) => each.generation === generation && each.state !== "softDeleted")) ??
  refuse(404, `No such object: ${bucket.name}/${name}`)

/** The object of a call, its preconditions checked. */
export const ofCall = ({ headers, param, query, state }: Call): { bucket: Bucket; object: StoredObject } => {
  const bucket = bucketOf(state, param("bucket"))
  const object = find(bucket, param("object"), Preconditions.number(query, "generation"))
  Preconditions.check(Preconditions.read(query), object)
  Preconditions.checkTags(headers, etag(object))
  return { bucket, object }
}

/** What becomes of a generation that is replaced or deleted. */
const retired = ({ fields }: Bucket): StoredObject["state"] | undefined => {
  const { softDeletePolicy, versioning } = fields as {
    readonly versioning?: { readonly enabled?: boolean }
    readonly softDeletePolicy?: { readonly retentionDurationSeconds?: number | string }
  }
  if (versioning?.enabled === true) return "noncurrent"
  return Number(softDeletePolicy?.retentionDurationSeconds ?? 0) > 0 ? "softDeleted" : undefined
}

/** Takes a generation out of service. */
export const remove = (bucket: Bucket, { generation, name, state }: StoredObject): void => {
  const after = state === "live" ? retired(bucket) : undefined
  const kept = (bucket.objects.get(name) ?? []).flatMap((each) => {
    if (each.generation !== generation) return [each]
    return after === undefined ? [] : [{ ...each, state: after, updated: now() }]
  })
  if (kept.length > 0) bucket.objects.set(name, kept)
  else bucket.objects.delete(name)
}

/** Writes a new generation, if the preconditions hold for the current one. */
export const write = (
  state: State,
  bucket: Bucket,
  draft: Draft,
  preconditions: Preconditions.Preconditions,
  options: { readonly composed?: boolean } = {}
): StoredObject => {
  const current = live(bucket, draft.name)
  Preconditions.check(preconditions, current)
  const sums = checksums(draft.data)
  const { crc32c: _, md5Hash: __, ...fields } = checkAnnounced(draft.fields, sums)
  if (current !== undefined) remove(bucket, current)
  const time = now()
  const object: StoredObject = {
    ...draft,
    fields,
    ...sums,
    ...(options.composed === true && { md5Hash: undefined }),
    bucket: bucket.name,
    generation: firstGeneration + state.next(),
    metageneration: 1,
    timeCreated: time,
    updated: time,
    state: "live",
    acl: bucket.defaultObjectAcl
  }
  bucket.objects.set(draft.name, [...(bucket.objects.get(draft.name) ?? []), object])
  state.written.push({ bucket: bucket.name, name: object.name, generation: object.generation })
  return object
}

/** The draft, and what the headers say about its checksums. */
export const announcing = (draft: Draft, headers: IncomingHttpHeaders): Draft => {
  const hashes = String(headers["x-goog-hash"] ?? "").split(",")
  const [crc32c, md5Hash] = ["crc32c=", "md5="].map((name) =>
    hashes
      .find((hash) => hash.trim().startsWith(name))
      ?.trim()
      .slice(name.length)
  )
  return {
    ...draft,
    fields: { ...draft.fields, ...(crc32c !== undefined && { crc32c }), ...(md5Hash !== undefined && { md5Hash }) }
  }
}

const checkAnnounced = (announced: Resource, sums: Pick<StoredObject, "crc32c" | "md5Hash">): Resource => {
  for (const field of ["crc32c", "md5Hash"] as const) {
    const sum = announced[field]
    if (sum !== undefined && sum !== sums[field]) refuse(400, `Provided ${field} "${String(sum)}" doesn't match.`)
  }
  return announced
}

/** Changes the metadata of a generation. */
export const change = (bucket: Bucket, object: StoredObject, changes: Partial<StoredObject>): StoredObject => {
  const changed = { ...object, metageneration: object.metageneration + 1, updated: now(), ...changes }
  const versions = bucket.objects.get(object.name) ?? []
  bucket.objects.set(
    object.name,
    versions.map((each) => (each.generation === object.generation ? changed : each))
  )
  return changed
}

/** The metadata of an object, as the official bench shows it: without a `size` of 0. */
export const render = (object: StoredObject, origin: string): Resource => {
  const path = `b/${object.bucket}/o/${encodeURIComponent(object.name)}`
  return {
    storageClass: "STANDARD",
    ...object.fields,
    kind: "storage#object",
    id: `${object.bucket}/${object.name}/${object.generation}`,
    selfLink: `${origin}/storage/v1/${path}`,
    mediaLink: `${origin}/download/storage/v1/${path}?generation=${object.generation}&alt=media`,
    name: object.name,
    bucket: object.bucket,
    generation: String(object.generation),
    metageneration: String(object.metageneration),
    contentType: object.contentType,
    ...(object.data.length > 0 && { size: String(object.data.length) }),
    crc32c: object.crc32c,
    ...(object.md5Hash !== undefined && { md5Hash: object.md5Hash }),
    etag: etag(object),
    timeCreated: object.timeCreated,
    updated: object.updated,
    ...(object.state === "noncurrent" && { timeDeleted: object.updated }),
    ...(object.state === "softDeleted" && { softDeleteTime: object.updated })
  }
}
