/**
 * The operations of Cloud Storage's JSON API as data: by which request they are called, and whether they may be repeated.
 *
 * Source: https://cloud.google.com/storage/docs/retry-strategy, "Idempotency of operations", and the operations of
 * googleapis/conformance-tests 998891a, storage/v1/retry_tests.json, whose names have `storage.` before those here; of
 * restore, move and the sessions of resumable uploads googleapis/java-storage 679cddd, HttpRetryAlgorithmManager.
 */

/**
 * What lets a write be carried out only once: a parameter of the query, the header `If-Match`, or an `etag` in the JSON
 * body.
 *
 * @category models
 */
export type Precondition = (typeof preconditions)[number]

/**
 * All preconditions.
 *
 * @category models
 */
export const preconditions = ["ifGenerationMatch", "ifMetagenerationMatch", "generation", "If-Match", "etag"] as const

/**
 * Whether an operation may be repeated: `always`, `never`, or only with one of these preconditions.
 *
 * @category models
 */
export type Repetition = "always" | "never" | ReadonlyArray<Precondition>

/**
 * How an operation is called.
 *
 * @category models
 */
export interface Row {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** Below `storage/v1`. */
  readonly path: string
  readonly repetition: Repetition
  /** Statuses with which a repetition is answered when an earlier attempt was carried out and its answer was lost. */
  readonly lost?: ReadonlyArray<404 | 409 | 412> | undefined
}

const read = (path: string): Row => ({ method: "GET", path, repetition: "always" })

const never = (method: Row["method"], path: string): Row => ({ method, path, repetition: "never" })

const write = (method: Row["method"], path: string, ...repetition: ReadonlyArray<Precondition>): Row => ({
  method,
  path,
  repetition,
  lost: [412]
})

/** A deletion that was carried out is answered with 404 from then on, or with 412 where a precondition is looked at first. */
const deletion = (path: string, repetition: Repetition = "always"): Row => ({
  method: "DELETE",
  path,
  repetition,
  lost: [404, 412]
})

const entries = <Name extends string>(name: Name, path: string) =>
  ({
    [`${name}.list`]: read(path),
    [`${name}.get`]: read(`${path}/{entity}`),
    [`${name}.insert`]: never("POST", path),
    [`${name}.update`]: never("PUT", `${path}/{entity}`),
    [`${name}.patch`]: never("PATCH", `${path}/{entity}`),
    [`${name}.delete`]: never("DELETE", `${path}/{entity}`)
  }) as { readonly [Operation in `${Name}.${"delete" | "get" | "insert" | "list" | "patch" | "update"}`]: Row }

const bucket = "b/{bucket}"
const object = "b/{bucket}/o/{object}"
const notifications = "b/{bucket}/notificationConfigs"
const keys = "projects/{project}/hmacKeys"

/**
 * All operations that are known.
 *
 * @category models
 */
export const table = {
  "buckets.list": read("b"),
  "buckets.insert": { method: "POST", path: "b", repetition: "always", lost: [409] },
  "buckets.get": read(bucket),
  "buckets.update": write("PUT", bucket, "ifMetagenerationMatch", "If-Match"),
  "buckets.patch": write("PATCH", bucket, "ifMetagenerationMatch", "If-Match"),
  "buckets.delete": deletion(bucket),
  "buckets.getIamPolicy": read(`${bucket}/iam`),
  "buckets.setIamPolicy": write("PUT", `${bucket}/iam`, "etag", "If-Match"),
  "buckets.testIamPermissions": read(`${bucket}/iam/testPermissions`),
  // `ifMetagenerationMatch` is mandatory.
  "buckets.lockRetentionPolicy": {
    method: "POST",
    path: `${bucket}/lockRetentionPolicy`,
    repetition: "always",
    lost: [412]
  },
  .../*#__PURE__*/ entries("bucket_acl", `${bucket}/acl`),
  .../*#__PURE__*/ entries("default_object_acl", `${bucket}/defaultObjectAcl`),
  .../*#__PURE__*/ entries("object_acl", `${object}/acl`),
  "notifications.list": read(notifications),
  "notifications.get": read(`${notifications}/{notification}`),
  // Each call that is carried out makes another one.
  "notifications.insert": never("POST", notifications),
  "notifications.delete": deletion(`${notifications}/{notification}`),
  "hmacKey.list": read(keys),
  "hmacKey.get": read(`${keys}/{accessId}`),
  "hmacKey.create": never("POST", keys),
  "hmacKey.update": write("PUT", `${keys}/{accessId}`, "etag", "If-Match"),
  "hmacKey.delete": deletion(`${keys}/{accessId}`),
  "serviceaccount.get": read("projects/{project}/serviceAccount"),
  "objects.list": read(`${bucket}/o`),
  "objects.get": read(object),
  "objects.insert": write("POST", `${bucket}/o`, "ifGenerationMatch"),
  "objects.update": write("PUT", object, "ifMetagenerationMatch", "If-Match"),
  "objects.patch": write("PATCH", object, "ifMetagenerationMatch", "If-Match"),
  "objects.delete": deletion(object, ["ifGenerationMatch", "generation"]),
  "objects.compose": write("POST", `${object}/compose`, "ifGenerationMatch"),
  "objects.copy": write("POST", `${object}/copyTo/b/{toBucket}/o/{toObject}`, "ifGenerationMatch"),
  "objects.rewrite": write("POST", `${object}/rewriteTo/b/{toBucket}/o/{toObject}`, "ifGenerationMatch"),
  "objects.move": { ...write("POST", `${object}/moveTo/o/{toObject}`, "ifGenerationMatch"), lost: [404, 412] },
  "objects.restore": { method: "POST", path: `${object}/restore`, repetition: "always", lost: [404, 412] },
  "resumable.session.create": write("POST", `${bucket}/o`, "ifGenerationMatch"),
  // The preconditions of the session are looked at when the upload is complete.
  "resumable.session.write": { method: "PUT", path: `${bucket}/o`, repetition: "always", lost: [412] },
  "resumable.session.query": { method: "PUT", path: `${bucket}/o`, repetition: "always" },
  // No source says it: a session that is gone cannot be ended twice.
  "resumable.session.cancel": { method: "DELETE", path: `${bucket}/o`, repetition: "always" }
} as const satisfies { readonly [operation: string]: Row }
