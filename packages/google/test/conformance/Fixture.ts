/**
 * The resources that a call needs, created by requests that no retry test concerns.
 */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"

/** What has been created; of what has not, the values are "". */
export interface Fixture {
  /** The address of the server, without a slash at its end. */
  readonly url: string
  readonly bucket: string
  readonly bucketMetageneration: string
  readonly iamEtag: string
  readonly object: string
  readonly generation: string
  readonly metageneration: string
  readonly notification: string
  readonly accessId: string
  readonly keyEtag: string
}

export type Need =
  | "bucket"
  | "bucket with retention"
  | "bucket entry"
  | "default entry"
  | "iam policy"
  | "object"
  | "object to download"
  | "object entry"
  | "notification"
  | "key"
  | "inactive key"

export const project = "conformance"

/** Whose access the entries control. */
export const entity = "allUsers"

export const topic = `//pubsub.googleapis.com/projects/${project}/topics/changes`

/** More than the faults break off. */
export const downloadBytes = 3 * 256 * 1024

const email = `keys@${project}.iam.gserviceaccount.com`

/** A name that no other run has used. */
export const unusedName = (): string => `conformance-${randomUUID()}`

/** Where keys are created. */
export const keysPath = `/storage/v1/projects/${project}/hmacKeys?serviceAccountEmail=${encodeURIComponent(email)}`

type Create = (send: Send, fixture: Fixture) => Effect.Effect<Partial<Fixture>, unknown>

/** Sends a request and reads the fields of the resource that it answers with, which are texts. */
type Send = (
  verb: "GET" | "POST" | "PUT",
  path: string,
  body?: unknown
) => Effect.Effect<{ readonly [field: string]: string }, unknown>

const createBucket =
  (fields: object): Create =>
  (send) => {
    const bucket = unusedName()
    return Effect.map(send("POST", `/storage/v1/b?project=${project}`, { name: bucket, ...fields }), (created) => ({
      bucket,
      bucketMetageneration: created["metageneration"] ?? ""
    }))
  }

const createObject =
  (bytes: number): Create =>
  (send, { bucket }) => {
    const object = "object"
    const path = `/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${object}`
    return Effect.map(
      send("POST", path, new Uint8Array(bytes).fill(1)),
      ({ generation = "", metageneration = "" }) => ({
        object,
        generation,
        metageneration
      })
    )
  }

const createEntry =
  (path: (fixture: Fixture) => string): Create =>
  (send, fixture) =>
    Effect.as(send("POST", `/storage/v1/b/${fixture.bucket}/${path(fixture)}`, { entity, role: "READER" }), {})

/** The secret is beside the fields of the key. */
const createKey: Create = (send) =>
  Effect.map(send("POST", keysPath), ({ metadata }) => {
    const { accessId, etag } = metadata as unknown as { readonly accessId: string; readonly etag: string }
    return { accessId, keyEtag: etag }
  })

/** Only such keys can be deleted. */
const deactivate: Create = (send, { accessId }) =>
  Effect.map(
    send("PUT", `/storage/v1/projects/${project}/hmacKeys/${accessId}`, { state: "INACTIVE" }),
    ({ etag = "" }) => ({ keyEtag: etag })
  )

const steps: Record<Need, Create> = {
  bucket: createBucket({}),
  "bucket with retention": createBucket({ retentionPolicy: { retentionPeriod: "60" } }),
  "bucket entry": createEntry(() => "acl"),
  "default entry": createEntry(() => "defaultObjectAcl"),
  "iam policy": (send, { bucket }) =>
    Effect.map(send("GET", `/storage/v1/b/${bucket}/iam`), ({ etag = "" }) => ({ iamEtag: etag })),
  object: createObject(64),
  "object to download": createObject(downloadBytes),
  "object entry": createEntry(({ object }) => `o/${object}/acl`),
  notification: (send, { bucket }) =>
    Effect.map(
      send("POST", `/storage/v1/b/${bucket}/notificationConfigs`, { topic, payload_format: "NONE" }),
      ({ id = "" }) => ({ notification: id })
    ),
  key: createKey,
  "inactive key": deactivate
}

const sending =
  (client: HttpClient.HttpClient, url: string): Send =>
  (verb, path, body) => {
    const request = HttpClientRequest.make(verb)(`${url}${path}`)
    const full =
      body instanceof Uint8Array
        ? HttpClientRequest.bodyUint8Array(request, body, "text/plain")
        : HttpClientRequest.bodyUnsafeJson(request, body ?? {})
    return client.execute(verb === "GET" ? request : full).pipe(
      Effect.flatMap((response) => response.text.pipe(Effect.map((text) => ({ status: response.status, text })))),
      Effect.flatMap(({ status, text }) =>
        status === 200 ? Effect.succeed(JSON.parse(text)) : Effect.fail(new Error(`${verb} ${path}: ${status} ${text}`))
      )
    )
  }

const nothing: Omit<Fixture, "url"> = {
  bucket: "",
  bucketMetageneration: "",
  iamEtag: "",
  object: "",
  generation: "",
  metageneration: "",
  notification: "",
  accessId: "",
  keyEtag: ""
}

/** Creates what is needed, in this order. */
export const create = (
  client: HttpClient.HttpClient,
  url: string,
  needs: ReadonlyArray<Need>
): Effect.Effect<Fixture, unknown> =>
  Effect.reduce(needs, { ...nothing, url }, (fixture: Fixture, need) =>
    Effect.map(steps[need](sending(client, url), fixture), (created) => ({ ...fixture, ...created }))
  )
