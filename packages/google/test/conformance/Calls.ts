/**
 * The library calls of each method, as requests that any client of HTTP can send.
 */
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Effect } from "effect"
import { entity, type Fixture, keysPath, type Need, project, topic, unusedName } from "./Fixture.ts"

/** What the client of one call is given. */
export interface Given {
  readonly fixture: Fixture
  /** Whether the call carries its precondition. */
  readonly precondition: boolean
  /** The faults that the call will meet. */
  readonly instructions: ReadonlyArray<string>
}

export interface Call {
  readonly method: string
  /** Which of several calls of the method it is. */
  readonly form: string
  readonly needs: ReadonlyArray<Need>
  /** It changes nothing that other calls need. */
  readonly reads: boolean
  /** Fails where the call does. */
  readonly run: (client: HttpClient.HttpClient, given: Given) => Effect.Effect<void, unknown>
}

type Request = HttpClientRequest.HttpClientRequest

/** Reads the whole answer, and fails with one that is no success. */
const read = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<void, unknown> =>
  Effect.flatMap(response.text, (text) =>
    response.status >= 200 && response.status < 300
      ? Effect.void
      : Effect.fail(new Error(`status ${response.status}: ${text}`))
  )

const send = (client: HttpClient.HttpClient, request: Request) => Effect.flatMap(client.execute(request), read)

type Options = { readonly form?: string; readonly reads?: boolean }

/** A call of one request. */
const call = (
  method: string,
  needs: ReadonlyArray<Need>,
  request: (given: Given) => Request,
  { form = "", reads = false }: Options = {}
): Call => ({
  method: `storage.${method}`,
  form,
  needs,
  reads,
  run: (client, given) => send(client, request(given))
})

const reading = (method: string, needs: ReadonlyArray<Need>, path: (fixture: Fixture) => string, form = ""): Call =>
  call(method, needs, ({ fixture }) => HttpClientRequest.get(`${fixture.url}${path(fixture)}`), { form, reads: true })

const withJson = (request: Request, body: unknown): Request => HttpClientRequest.bodyUnsafeJson(request, body)

/** A parameter that is there where preconditions are. */
const parameter = (precondition: boolean, name: string, value: string) =>
  HttpClientRequest.setUrlParams(precondition ? { [name]: value } : {})

const bucketPath = ({ bucket }: Fixture): string => `/storage/v1/b/${bucket}`
const objectPath = (fixture: Fixture): string => `${bucketPath(fixture)}/o/${fixture.object}`
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

const objects: ReadonlyArray<Call> = [
  reading("objects.list", ["bucket", "object"], (fixture) => `${bucketPath(fixture)}/o`),
  reading("objects.get", ["bucket", "object"], objectPath, "metadata"),
  reading("objects.get", ["bucket", "object"], (fixture) => `${objectPath(fixture)}?alt=media`, "media"),
  call("objects.delete", ["bucket", "object"], ({ fixture, precondition }) =>
    HttpClientRequest.del(`${fixture.url}${objectPath(fixture)}`).pipe(
      parameter(precondition, "ifGenerationMatch", fixture.generation)
    )
  ),
  ...(["PATCH", "PUT"] as const).map((verb) =>
    call(verb === "PUT" ? "objects.update" : "objects.patch", ["bucket", "object"], ({ fixture, precondition }) =>
      withJson(HttpClientRequest.make(verb)(`${fixture.url}${objectPath(fixture)}`), {
        metadata: { changed: "yes" }
      }).pipe(parameter(precondition, "ifMetagenerationMatch", fixture.metageneration))
    )
  ),
  ...(["copyTo", "rewriteTo"] as const).map((verb) =>
    call(verb === "copyTo" ? "objects.copy" : "objects.rewrite", ["bucket", "object"], ({ fixture, precondition }) =>
      withJson(
        HttpClientRequest.post(`${fixture.url}${objectPath(fixture)}/${verb}/b/${fixture.bucket}/o/${verb}`),
        {}
      ).pipe(parameter(precondition, "ifGenerationMatch", "0"))
    )
  ),
  call("objects.compose", ["bucket", "object"], ({ fixture, precondition }) =>
    withJson(HttpClientRequest.post(`${fixture.url}${bucketPath(fixture)}/o/composed/compose`), {
      sourceObjects: [{ name: fixture.object }, { name: fixture.object }],
      destination: { contentType: "text/plain" }
    }).pipe(parameter(precondition, "ifGenerationMatch", "0"))
  )
]

const insertion = ({ fixture, precondition }: Given, uploadType: string, name: string): Request =>
  HttpClientRequest.post(`${fixture.url}/upload${bucketPath(fixture)}/o`).pipe(
    HttpClientRequest.setUrlParams({ uploadType, ...(name !== "" && { name }) }),
    parameter(precondition, "ifGenerationMatch", "0")
  )

const twoParts = [
  "--part",
  "Content-Type: application/json",
  "",
  `{"name":"multipart"}`,
  "--part",
  "Content-Type: text/plain",
  "",
  "data",
  "--part--",
  ""
].join("\r\n")

/** A session, and the whole object in one request. */
const resumable = (client: HttpClient.HttpClient, given: Given): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const response = yield* client.execute(insertion(given, "resumable", "resumable"))
    yield* read(response)
    const session = HttpClientRequest.put(response.headers["location"] ?? "")
    yield* send(client, HttpClientRequest.bodyText(session, "data", "text/plain"))
  })

const insertions: ReadonlyArray<Call> = [
  call(
    "objects.insert",
    ["bucket"],
    (given) => HttpClientRequest.bodyText(insertion(given, "media", "media"), "data", "text/plain"),
    { form: "media" }
  ),
  call(
    "objects.insert",
    ["bucket"],
    (given) =>
      HttpClientRequest.bodyText(insertion(given, "multipart", ""), twoParts, "multipart/related; boundary=part"),
    { form: "multipart" }
  ),
  { method: "storage.objects.insert", form: "resumable", needs: ["bucket"], reads: false, run: resumable }
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
  ...objects,
  ...insertions
]
