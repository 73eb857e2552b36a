/**
 * The operations of Cloud Storage's JSON API as data: the request that calls each of them, and whether it may be repeated.
 *
 * Source: https://cloud.google.com/storage/docs/retry-strategy, "Idempotency of operations", and the operations of
 * googleapis/conformance-tests 998891a, storage/v1/retry_tests.json, whose names have the prefix `storage.`; of
 * restore, move and the sessions of resumable uploads googleapis/java-storage 679cddd, HttpRetryAlgorithmManager.
 */

/**
 * A precondition that lets a write be carried out only once: a query parameter, the header `If-Match`, or an `etag` in
 * the JSON body.
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
  /** Statuses that answer a repetition if an earlier attempt was carried out and its answer was lost. */
  readonly lost?: ReadonlyArray<404 | 409 | 412> | undefined
  /** The path, below `storage/v1`, at which the written or deleted resource can be read. */
  readonly resource?: string | undefined
}

const read = (path: string): Row => ({ method: "GET", path, repetition: "always" })

const never = (method: Row["method"], path: string): Row => ({ method, path, repetition: "never" })

/** A write, whose precondition is no longer met once it has been carried out. */
const write = (
  method: Row["method"],
  path: string,
  repetition: Repetition,
  resource = path,
  lost: Row["lost"] = [412]
): Row => ({ method, path, repetition, lost, resource })

/** A deletion: once carried out, the resource is not found, or no longer meets a precondition. */
const deletion = (path: string, repetition: Repetition = "always"): Row => ({
  method: "DELETE",
  path,
  repetition,
  lost: [404, 412],
  resource: path
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
const target = "b/{toBucket}/o/{toObject}"
const notifications = "b/{bucket}/notificationConfigs"
const keys = "projects/{project}/hmacKeys"

const generation = ["ifGenerationMatch"] as const
const metageneration = ["ifMetagenerationMatch", "If-Match"] as const
const tag = ["etag", "If-Match"] as const

/**
 * Every operation by its name, such as `objects.insert`.
 *
 * @category models
 */
export const table = {
  "buckets.list": read("b"),
  "buckets.insert": write("POST", "b", "always", bucket, [409]),
  "buckets.get": read(bucket),
  "buckets.update": write("PUT", bucket, metageneration),
  "buckets.patch": write("PATCH", bucket, metageneration),
  "buckets.delete": deletion(bucket),
  "buckets.getIamPolicy": read(`${bucket}/iam`),
  "buckets.setIamPolicy": write("PUT", `${bucket}/iam`, tag),
  "buckets.testIamPermissions": read(`${bucket}/iam/testPermissions`),
  // `ifMetagenerationMatch` is mandatory.
  "buckets.lockRetentionPolicy": write("POST", `${bucket}/lockRetentionPolicy`, "always", bucket),
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
  "hmacKey.update": write("PUT", `${keys}/{accessId}`, tag),
  // A key that is deleted can be read for a while.
  "hmacKey.delete": { ...deletion(`${keys}/{accessId}`), resource: undefined },
  "serviceaccount.get": read("projects/{project}/serviceAccount"),
  "objects.list": read(`${bucket}/o`),
  "objects.get": read(object),
  "objects.insert": write("POST", `${bucket}/o`, generation, object),
  "objects.update": write("PUT", object, metageneration),
  "objects.patch": write("PATCH", object, metageneration),
  "objects.delete": deletion(object, ["ifGenerationMatch", "generation"]),
  "objects.compose": write("POST", `${object}/compose`, generation, object),
  "objects.copy": write("POST", `${object}/copyTo/${target}`, generation, target),
  "objects.rewrite": write("POST", `${object}/rewriteTo/${target}`, generation, target),
  // The source is gone.
  "objects.move": write("POST", `${object}/moveTo/o/{toObject}`, generation, "b/{bucket}/o/{toObject}", [404, 412]),
  "objects.restore": write("POST", `${object}/restore`, "always", object),
  // The object is created when the upload is complete, and a complete session answers as before.
  "resumable.session.create": { method: "POST", path: `${bucket}/o`, repetition: generation },
  "resumable.session.write": { method: "PUT", path: `${bucket}/o`, repetition: "always" },
  "resumable.session.query": { method: "PUT", path: `${bucket}/o`, repetition: "always" },
  // No source states this: a session that is gone cannot be cancelled twice.
  "resumable.session.cancel": { method: "DELETE", path: `${bucket}/o`, repetition: "always" }
} as const satisfies { readonly [operation: string]: Row }
