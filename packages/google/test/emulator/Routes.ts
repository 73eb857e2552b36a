/**
 * The requests that the emulator knows, by the names that the Retry Test API has for them.
 */
import * as AccessControls from "./AccessControls.ts"
import * as Buckets from "./Buckets.ts"
import type { Operation } from "./Call.ts"
import * as Copies from "./Copies.ts"
import * as Notifications from "./Notifications.ts"
import * as ObjectMethods from "./ObjectMethods.ts"
import * as Projects from "./Projects.ts"
import { cancel, chunk } from "./Resumable.ts"
import * as Uploads from "./Uploads.ts"

interface Route {
  readonly verb: string
  /** Segments that begin with a colon are parameters. */
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

const route = (verb: string, path: string, method: string, operation: Operation): Route => ({
  verb,
  path,
  method: `storage.${method}`,
  operation
})

const accessControl = (path: string, name: string, operations: AccessControls.Operations): ReadonlyArray<Route> => [
  route("GET", path, `${name}.list`, operations.list),
  route("POST", path, `${name}.insert`, operations.insert),
  route("GET", `${path}/:entity`, `${name}.get`, operations.get),
  route("PUT", `${path}/:entity`, `${name}.update`, operations.update),
  route("PATCH", `${path}/:entity`, `${name}.patch`, operations.patch),
  route("DELETE", `${path}/:entity`, `${name}.delete`, operations.remove)
]

const buckets = "/storage/v1/b"
const bucket = `${buckets}/:bucket`
const object = `${bucket}/o/:object`
const upload = "/upload/storage/v1/b/:bucket/o"
const project = "/storage/v1/projects/:project"

export const routes: ReadonlyArray<Route> = [
  route("GET", buckets, "buckets.list", Buckets.list),
  route("POST", buckets, "buckets.insert", Buckets.insert),
  route("GET", bucket, "buckets.get", Buckets.get),
  route("PUT", bucket, "buckets.update", Buckets.update),
  route("PATCH", bucket, "buckets.patch", Buckets.patch),
  route("DELETE", bucket, "buckets.delete", Buckets.remove),
  route("POST", `${bucket}/lockRetentionPolicy`, "buckets.lockRetentionPolicy", Buckets.lockRetentionPolicy),
  route("GET", `${bucket}/iam`, "buckets.getIamPolicy", Buckets.getIamPolicy),
  route("PUT", `${bucket}/iam`, "buckets.setIamPolicy", Buckets.setIamPolicy),
  route("GET", `${bucket}/iam/testPermissions`, "buckets.testIamPermissions", Buckets.testIamPermissions),
  ...accessControl(`${bucket}/acl`, "bucket_acl", AccessControls.bucketAcl),
  ...accessControl(`${bucket}/defaultObjectAcl`, "default_object_acl", AccessControls.defaultObjectAcl),
  route("GET", `${bucket}/notificationConfigs`, "notifications.list", Notifications.list),
  route("POST", `${bucket}/notificationConfigs`, "notifications.insert", Notifications.insert),
  route("GET", `${bucket}/notificationConfigs/:notification`, "notifications.get", Notifications.get),
  route("DELETE", `${bucket}/notificationConfigs/:notification`, "notifications.delete", Notifications.remove),
  route("GET", `${bucket}/o`, "objects.list", ObjectMethods.list),
  route("GET", object, "objects.get", ObjectMethods.get),
  route("GET", "/download/storage/v1/b/:bucket/o/:object", "objects.get", ObjectMethods.download),
  route("PUT", object, "objects.update", ObjectMethods.update),
  route("PATCH", object, "objects.patch", ObjectMethods.patch),
  route("DELETE", object, "objects.delete", ObjectMethods.remove),
  route("POST", `${object}/restore`, "objects.restore", ObjectMethods.restore),
  route("POST", `${object}/compose`, "objects.compose", Copies.compose),
  route("POST", `${object}/copyTo/b/:toBucket/o/:toObject`, "objects.copy", Copies.copy),
  route("POST", `${object}/rewriteTo/b/:toBucket/o/:toObject`, "objects.rewrite", Copies.rewrite),
  route("POST", `${object}/moveTo/o/:toObject`, "objects.move", Copies.move),
  ...accessControl(`${object}/acl`, "object_acl", AccessControls.objectAcl),
  route("POST", upload, "objects.insert", Uploads.insert),
  route("PUT", upload, "objects.insert", chunk),
  route("DELETE", upload, "objects.delete", cancel),
  route("GET", `${project}/serviceAccount`, "serviceaccount.get", Projects.serviceAccount),
  route("GET", `${project}/hmacKeys`, "hmacKey.list", Projects.listKeys),
  route("POST", `${project}/hmacKeys`, "hmacKey.create", Projects.createKey),
  route("GET", `${project}/hmacKeys/:accessId`, "hmacKey.get", Projects.getKey),
  route("PUT", `${project}/hmacKeys/:accessId`, "hmacKey.update", Projects.updateKey),
  route("DELETE", `${project}/hmacKeys/:accessId`, "hmacKey.delete", Projects.removeKey)
]

export const methods: ReadonlySet<string> = new Set(routes.map(({ method }) => method))

interface Found {
  readonly route: Route
  readonly param: (name: string) => string
}

const parts = routes.map((route) => ({ route, names: route.path.split("/") }))

/** The route of a request; names of objects are one segment, with `%2F` for their slashes. */
export const find = (verb: string, path: string): Found | undefined => {
  const segments = path.split("/")
  const found = parts.find(
    ({ names, route }) =>
      route.verb === verb &&
      names.length === segments.length &&
      names.every((name, index) => (name.startsWith(":") ? segments[index] !== "" : name === segments[index]))
  )
  if (found === undefined) return undefined
  const param = (name: string) => decoded(segments[found.names.indexOf(`:${name}`)] ?? "")
  return { route: found.route, param }
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
