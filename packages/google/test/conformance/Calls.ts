/**
 * The library calls of each method.
 */
import { HttpClientRequest } from "@effect/platform"
import { bucketPath, type Call, call, type Given, objectPath, parameter, reading, withJson } from "./Call.ts"
import { entity, type Fixture, keysPath, type Need, project, topic, unusedName } from "./Fixture.ts"
import { objects } from "./ObjectCalls.ts"

const keyPath = ({ accessId }: Fixture): string => `/storage/v1/projects/${project}/hmacKeys/${accessId}`

/** The calls of entries of an access control; the first entry exists, the one that is inserted is another. */
const accessControl = (
  method: string,
  needs: readonly [Need, ...ReadonlyArray<Need>],
  path: (fixture: Fixture) => string
): ReadonlyArray<Call> => {
  const url = ({ fixture }: Given) => `${fixture.url}${path(fixture)}`
  const entry = (given: Given) => `${url(given)}/${entity}`
  const role = { entity, role: "READER" }
  return [
    reading(`${method}.list`, needs, path),
    reading(`${method}.get`, needs, (fixture) => `${path(fixture)}/${entity}`),
    call(`${method}.insert`, needs, (given) =>
      withJson(HttpClientRequest.post(url(given)), { ...role, entity: "allAuthenticatedUsers" })
    ),
    call(`${method}.update`, needs, (given) => withJson(HttpClientRequest.put(entry(given)), role)),
    call(`${method}.patch`, needs, (given) => withJson(HttpClientRequest.patch(entry(given)), role)),
    call(`${method}.delete`, needs, (given) => HttpClientRequest.del(entry(given)))
  ]
}

const buckets: ReadonlyArray<Call> = [
  reading("buckets.list", ["bucket"], () => `/storage/v1/b?project=${project}`),
  reading("buckets.get", ["bucket"], bucketPath),
  reading("buckets.getIamPolicy", ["bucket"], (fixture) => `${bucketPath(fixture)}/iam`),
  reading(
    "buckets.testIamPermissions",
    ["bucket"],
    (fixture) => `${bucketPath(fixture)}/iam/testPermissions?permissions=storage.buckets.get`
  ),
  call("buckets.insert", [], ({ fixture }) =>
    withJson(HttpClientRequest.post(`${fixture.url}/storage/v1/b?project=${project}`), { name: unusedName() })
  ),
  call("buckets.delete", ["bucket"], ({ fixture }) => HttpClientRequest.del(`${fixture.url}${bucketPath(fixture)}`)),
  ...(["PATCH", "PUT"] as const).map((verb) =>
    call(verb === "PUT" ? "buckets.update" : "buckets.patch", ["bucket"], ({ fixture, precondition }) =>
      withJson(HttpClientRequest.make(verb)(`${fixture.url}${bucketPath(fixture)}`), {
        labels: { changed: "yes" }
      }).pipe(parameter(precondition, "ifMetagenerationMatch", fixture.bucketMetageneration))
    )
  ),
  call("buckets.lockRetentionPolicy", ["bucket with retention"], ({ fixture }) =>
    HttpClientRequest.post(`${fixture.url}${bucketPath(fixture)}/lockRetentionPolicy`).pipe(
      parameter(true, "ifMetagenerationMatch", fixture.bucketMetageneration)
    )
  ),
  call("buckets.setIamPolicy", ["bucket", "iam policy"], ({ fixture, precondition }) =>
    withJson(HttpClientRequest.put(`${fixture.url}${bucketPath(fixture)}/iam`), {
      bindings: [{ role: "roles/storage.objectViewer", members: [entity] }],
      ...(precondition && { etag: fixture.iamEtag })
    })
  )
]

const notificationPath = (fixture: Fixture): string =>
  `${bucketPath(fixture)}/notificationConfigs/${fixture.notification}`

const notifications: ReadonlyArray<Call> = [
  reading("notifications.list", ["bucket", "notification"], (fixture) => `${bucketPath(fixture)}/notificationConfigs`),
  reading("notifications.get", ["bucket", "notification"], notificationPath),
  call("notifications.insert", ["bucket"], ({ fixture }) =>
    withJson(HttpClientRequest.post(`${fixture.url}${bucketPath(fixture)}/notificationConfigs`), {
      topic,
      payload_format: "NONE"
    })
  ),
  call("notifications.delete", ["bucket", "notification"], ({ fixture }) =>
    HttpClientRequest.del(`${fixture.url}${notificationPath(fixture)}`)
  )
]

const ofProject: ReadonlyArray<Call> = [
  reading("serviceaccount.get", [], () => `/storage/v1/projects/${project}/serviceAccount`),
  reading("hmacKey.list", ["key"], () => `/storage/v1/projects/${project}/hmacKeys`),
  reading("hmacKey.get", ["key"], keyPath),
  call("hmacKey.create", [], ({ fixture }) => HttpClientRequest.post(`${fixture.url}${keysPath}`)),
  call("hmacKey.update", ["key"], ({ fixture, precondition }) =>
    withJson(HttpClientRequest.put(`${fixture.url}${keyPath(fixture)}`), {
      state: "INACTIVE",
      ...(precondition && { etag: fixture.keyEtag })
    })
  ),
  call("hmacKey.delete", ["key", "inactive key"], ({ fixture }) =>
    HttpClientRequest.del(`${fixture.url}${keyPath(fixture)}`)
  )
]

/** All calls of all methods but the forms that have a scenario of their own. */
export const calls: ReadonlyArray<Call> = [
  ...buckets,
  ...accessControl("bucket_acl", ["bucket", "bucket entry"], (fixture) => `${bucketPath(fixture)}/acl`),
  ...accessControl(
    "default_object_acl",
    ["bucket", "default entry"],
    (fixture) => `${bucketPath(fixture)}/defaultObjectAcl`
  ),
  ...accessControl("object_acl", ["bucket", "object", "object entry"], (fixture) => `${objectPath(fixture)}/acl`),
  ...notifications,
  ...ofProject,
  ...objects
]
