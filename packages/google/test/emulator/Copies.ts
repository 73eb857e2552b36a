/**
 * Objects that are made of others.
 */
import { json, readResource, refuse, type Resource } from "./Answer.ts"
import type { Call, Operation } from "./Call.ts"
import * as Objects from "./Objects.ts"
import * as Preconditions from "./Preconditions.ts"
import { bucketOf, type Draft, type StoredObject } from "./State.ts"

/** Source: https://cloud.google.com/storage/docs/composite-objects. */
const mostSources = 32

interface Source {
  readonly name?: string
  readonly generation?: string
  readonly objectPreconditions?: { readonly ifGenerationMatch?: string }
}

const isSources = (value: unknown): value is ReadonlyArray<Source> =>
  Array.isArray(value) && value.every((each) => typeof each === "object" && each !== null)

export const compose: Operation = ({ body, origin, param, query, state }) => {
  const bucket = bucketOf(state, param("bucket"))
  const { destination, sourceObjects } = readResource(body)
  if (!isSources(sourceObjects) || sourceObjects.length === 0)
    return refuse(400, "You must provide a source component.")
  if (sourceObjects.length > mostSources) refuse(400, `The number of source components exceeds ${mostSources}.`)
  const sources = sourceObjects.map(({ generation, name = "", objectPreconditions }) => {
    const object = Objects.find(bucket, name, generation === undefined ? undefined : Number(generation))
    const { ifGenerationMatch } = { ifGenerationMatch: undefined, ...objectPreconditions }
    const generationMatch = ifGenerationMatch === undefined ? undefined : Number(ifGenerationMatch)
    Preconditions.check({ ...Preconditions.none, generationMatch }, object)
    return object
  })
  const draft = draftOf(param("object"), sources[0], destination, Buffer.concat(sources.map(({ data }) => data)))
  const object = Objects.write(state, bucket, draft, Preconditions.read(query), { composed: true })
  return json({ ...Objects.render(object, origin), componentCount: sources.length })
}

/** Metadata that the caller gives replaces that of the source. */
const draftOf = (name: string, source: StoredObject | undefined, given: unknown, data: Buffer): Draft => {
  const { bucket: _, contentType, name: __, ...fields } = (typeof given === "object" ? { ...given } : {}) as Resource
  const type = typeof contentType === "string" ? contentType : (source?.contentType ?? "application/octet-stream")
  return { name, data, contentType: type, fields: { ...source?.fields, ...fields } }
}

/** The source of a copy, the preconditions on it checked. */
const sourceOf = ({ param, query, state }: Call): StoredObject => {
  const bucket = bucketOf(state, param("bucket"))
  const object = Objects.find(bucket, param("object"), Preconditions.number(query, "sourceGeneration"))
  Preconditions.check(Preconditions.read(query, "ifSource"), object)
  return object
}

const copied = (call: Call, source: StoredObject): StoredObject => {
  const draft = draftOf(call.param("toObject"), source, readResource(call.body), source.data)
  return Objects.write(call.state, bucketOf(call.state, call.param("toBucket")), draft, Preconditions.read(call.query))
}

export const copy: Operation = (call) => json(Objects.render(copied(call, sourceOf(call)), call.origin))

/** Copies `maxBytesRewrittenPerCall` and answers with a token for the next call, until all is copied. */
export const rewrite: Operation = (call) => {
  const { query, state } = call
  const source = sourceOf(call)
  const size = source.data.length
  const token = query.get("rewriteToken")
  const before = token === null ? 0 : (state.rewrites.get(token) ?? refuse(400, "Invalid rewrite token."))
  const written = Math.min(size, before + (Preconditions.number(query, "maxBytesRewrittenPerCall") ?? size))
  const progress = { kind: "storage#rewriteResponse", totalBytesRewritten: String(written), objectSize: String(size) }
  if (written === size) {
    const object = copied(call, source)
    if (token !== null) state.rewrites.delete(token)
    return json({ ...progress, done: true, resource: Objects.render(object, call.origin) })
  }
  const next = token ?? `rewrite-${state.next()}`
  state.rewrites.set(next, written)
  return json({ ...progress, done: false, rewriteToken: next })
}

/** Within a bucket: the source is gone when the destination is there. */
export const move: Operation = (call) => {
  const { origin, param, query, state } = call
  const source = sourceOf(call)
  const bucket = bucketOf(state, param("bucket"))
  const object = Objects.write(state, bucket, { ...source, name: param("toObject") }, Preconditions.read(query))
  Objects.remove(bucket, source)
  return json(Objects.render(object, origin))
}
