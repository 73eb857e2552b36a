/**
 * Buckets, with their policies of access and of retention.
 */
import { json, merged, readResource, refuse, type Resource, empty } from "./Answer.ts"
import type { Call, Operation } from "./Call.ts"
import * as Preconditions from "./Preconditions.ts"
import { type Bucket, bucketOf, changeBucket, etagOf, now, type State } from "./State.ts"

const etag = ({ metageneration, timeCreated }: Bucket): string => etagOf(timeCreated, metageneration)

export const render = (bucket: Bucket, origin: string): Resource => ({
  location: "US",
  storageClass: "STANDARD",
  projectNumber: "123456789",
  ...bucket.fields,
  kind: "storage#bucket",
  id: bucket.name,
  name: bucket.name,
  selfLink: `${origin}/storage/v1/b/${bucket.name}`,
  metageneration: String(bucket.metageneration),
  etag: etag(bucket),
  timeCreated: bucket.timeCreated,
  updated: bucket.updated
})

/** Creates a bucket; refuses a name that is taken. */
export const create = (state: State, name: string, fields: Resource = {}): Bucket => {
  if (state.buckets.has(name)) return refuse(409, "Your previous request to create the named bucket succeeded.")
  const time = now()
  const bucket: Bucket = {
    name,
    metageneration: 1,
    timeCreated: time,
    updated: time,
    fields,
    acl: new Map([["project-owners-123456789", "OWNER"]]),
    defaultObjectAcl: new Map([["project-owners-123456789", "OWNER"]]),
    iam: { kind: "storage#policy", version: 1, etag: etagOf("iam", state.next()), bindings: [] },
    objects: new Map(),
    notifications: new Map()
  }
  state.buckets.set(name, bucket)
  return bucket
}

/** The bucket of a call, its preconditions checked. */
const ofCall = ({ headers, param, query, state }: Call): Bucket => {
  const bucket = bucketOf(state, param("bucket"))
  Preconditions.check(Preconditions.read(query), bucket)
  Preconditions.checkTags(headers, etag(bucket))
  return bucket
}

/** With `returnPartialSuccess`, buckets can be out of reach; see `Instruction`. */
export const list: Operation = ({ origin, query, state, unreachable }) => {
  const prefix = query.get("prefix") ?? ""
  const found = [...state.buckets.values()].filter(({ name }) => name.startsWith(prefix))
  const missing = query.get("returnPartialSuccess") === "true" ? unreachable() : []
  return json({
    kind: "storage#buckets",
    items: found.filter(({ name }) => !missing.includes(name)).map((bucket) => render(bucket, origin)),
    ...(missing.length > 0 && { unreachable: missing.map((name) => `projects/_/buckets/${name}`) })
  })
}

export const insert: Operation = ({ body, origin, state }) => {
  const { name, ...fields } = readResource(body)
  if (typeof name !== "string" || name === "") return refuse(400, "Required parameter: name")
  return json(render(create(state, name, fields), origin))
}

export const get: Operation = (call) => json(render(ofCall(call), call.origin))

export const update: Operation = (call) => {
  const fields = readResource(call.body)
  return json(render(changeBucket(call.state, ofCall(call), { fields }), call.origin))
}

export const patch: Operation = (call) => {
  const bucket = ofCall(call)
  const fields = merged(bucket.fields, readResource(call.body))
  return json(render(changeBucket(call.state, bucket, { fields }), call.origin))
}

export const remove: Operation = (call) => {
  const bucket = ofCall(call)
  const isFull = [...bucket.objects.values()].some((versions) => versions.some(({ state }) => state !== "softDeleted"))
  if (isFull) refuse(400, "The bucket you tried to delete is not empty.")
  call.state.buckets.delete(bucket.name)
  return empty(200)
}

export const lockRetentionPolicy: Operation = (call) => {
  if (!call.query.has("ifMetagenerationMatch")) refuse(400, "Required parameter: ifMetagenerationMatch")
  const bucket = ofCall(call)
  const { retentionPolicy } = bucket.fields
  if (retentionPolicy === undefined) refuse(400, "The bucket has no retention policy.")
  const fields = merged(bucket.fields, { retentionPolicy: { isLocked: true } })
  return json(render(changeBucket(call.state, bucket, { fields }), call.origin))
}

export const getIamPolicy: Operation = ({ param, state }) => json(bucketOf(state, param("bucket")).iam)

/** The entity tag in the body is a precondition, and so is `If-Match`. */
export const setIamPolicy: Operation = ({ body, headers, param, state }) => {
  const bucket = bucketOf(state, param("bucket"))
  const policy = readResource(body)
  const { etag: current } = bucket.iam
  if (policy["etag"] !== undefined && policy["etag"] !== current) refuse(412, "The etag does not match.")
  Preconditions.checkTags(headers, String(current))
  const iam = { ...policy, kind: "storage#policy", etag: etagOf("iam", state.next()) }
  return json(changeBucket(state, bucket, { iam }).iam)
}

export const testIamPermissions: Operation = ({ param, query, state }) => {
  bucketOf(state, param("bucket"))
  return json({ kind: "storage#testIamPermissionsResponse", permissions: query.getAll("permissions") })
}
