/**
 * The choices of the client for Node, made by running it: which requests it repeats of a server that answers nothing but 503.
 */
import { HttpClientRequest } from "@effect/platform"
import { StorageChoices, StorageIdempotency, StorageOperation } from "@effect-retry/google"
import { type Bucket, type File, IdempotencyStrategy, Storage } from "@google-cloud/storage"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

/** What a call of the client is given; a precondition is there if it is the one that is tried. */
interface Given {
  readonly storage: Storage
  readonly bucket: Bucket
  readonly file: File
  readonly match: { readonly ifGenerationMatch?: number; readonly ifMetagenerationMatch?: number }
  readonly tag: { readonly etag?: string }
}

type Calls = Readonly<Partial<Record<StorageOperation.StorageOperation, (given: Given) => Promise<unknown>>>>

const [entity, role] = ["allUsers", "READER"]

/** A call for each operation that the client has. It uploads with `save`, whose stream alone would not repeat anything. */
const calls: Calls = {
  "buckets.list": ({ storage }) => storage.getBuckets(),
  "buckets.insert": ({ storage }) => storage.createBucket("new"),
  "buckets.get": ({ bucket, match }) => bucket.getMetadata(match),
  "buckets.patch": ({ bucket, match }) => bucket.setMetadata({ labels: { a: "b" } }, match),
  "buckets.delete": ({ bucket, match }) => bucket.delete(match),
  "buckets.getIamPolicy": ({ bucket }) => bucket.iam.getPolicy(),
  "buckets.setIamPolicy": ({ bucket, tag }) => bucket.iam.setPolicy({ bindings: [], ...tag }),
  "buckets.testIamPermissions": ({ bucket }) => bucket.iam.testPermissions("storage.buckets.get"),
  "buckets.lockRetentionPolicy": ({ bucket }) => bucket.lock(1),
  "bucket_acl.list": ({ bucket }) => bucket.acl.get(),
  "bucket_acl.get": ({ bucket }) => bucket.acl.get({ entity }),
  "bucket_acl.insert": ({ bucket }) => bucket.acl.add({ entity, role }),
  "bucket_acl.update": ({ bucket }) => bucket.acl.update({ entity, role }),
  "bucket_acl.delete": ({ bucket }) => bucket.acl.delete({ entity }),
  "default_object_acl.list": ({ bucket }) => bucket.acl.default.get(),
  "default_object_acl.get": ({ bucket }) => bucket.acl.default.get({ entity }),
  "default_object_acl.insert": ({ bucket }) => bucket.acl.default.add({ entity, role }),
  "default_object_acl.update": ({ bucket }) => bucket.acl.default.update({ entity, role }),
  "default_object_acl.delete": ({ bucket }) => bucket.acl.default.delete({ entity }),
  "object_acl.list": ({ file }) => file.acl.get(),
  "object_acl.get": ({ file }) => file.acl.get({ entity }),
  "object_acl.insert": ({ file }) => file.acl.add({ entity, role }),
  "object_acl.update": ({ file }) => file.acl.update({ entity, role }),
  "object_acl.delete": ({ file }) => file.acl.delete({ entity }),
  "notifications.list": ({ bucket }) => bucket.getNotifications(),
  "notifications.get": ({ bucket }) => bucket.notification("7").getMetadata(),
  "notifications.insert": ({ bucket }) => bucket.createNotification("topic"),
  "notifications.delete": ({ bucket }) => bucket.notification("7").delete(),
  "hmacKey.list": ({ storage }) => storage.getHmacKeys(),
  "hmacKey.get": ({ storage }) => storage.hmacKey("GOOG1").getMetadata(),
  "hmacKey.create": ({ storage }) => storage.createHmacKey("keys@project.iam.gserviceaccount.com"),
  "hmacKey.update": ({ storage, tag }) => storage.hmacKey("GOOG1").setMetadata({ state: "INACTIVE", ...tag }),
  "hmacKey.delete": ({ storage }) => storage.hmacKey("GOOG1").delete(),
  "serviceaccount.get": ({ storage }) => storage.getServiceAccount(),
  "objects.list": ({ bucket }) => bucket.getFiles(),
  "objects.get": ({ file, match }) => file.getMetadata(match),
  "objects.insert": ({ bucket, match }) =>
    bucket.file("new").save("meow", { resumable: false, preconditionOpts: match }),
  "objects.patch": ({ file, match }) => file.setMetadata({ metadata: { a: "b" } }, match),
  "objects.delete": ({ file, match }) => file.delete(match),
  "objects.compose": ({ bucket, file, match }) => bucket.combine([file, file], "sum", match),
  "objects.rewrite": ({ bucket, file, match }) => file.copy(bucket.file("copy"), { preconditionOpts: match }),
  "objects.move": ({ file, match }) => file.moveFileAtomic("moved", { preconditionOpts: match }),
  "objects.restore": ({ file, match }) => file.restore({ generation: 7, ...match }),
  "resumable.session.create": ({ bucket, match }) =>
    bucket.file("new").createResumableUpload({ preconditionOpts: match })
}

/** A call, as its server saw it. */
interface Run {
  readonly operation: StorageOperation.StorageOperation
  readonly carried: ReadonlyArray<StorageOperation.Precondition>
  readonly requests: number
}

/** Answers 503, and notes what was asked by the header that names the run. */
const server = Effect.acquireRelease(
  Effect.async<{ readonly asked: Map<string, Array<StorageOperation.Call | undefined>>; readonly http: Http.Server }>(
    (resume) => {
      const asked = new Map<string, Array<StorageOperation.Call | undefined>>()
      const http = Http.createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { headers, method = "GET", url = "" } = request
          const of = String(headers["x-run"])
          const seen = HttpClientRequest.make(method as "GET")(url, {
            headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
          }).pipe(HttpClientRequest.bodyText(Buffer.concat(chunks).toString(), headers["content-type"] ?? "text/plain"))
          asked.set(of, [...(asked.get(of) ?? []), StorageOperation.fromRequest(seen)])
          response.writeHead(503).end()
        })
      })
      // A client that uses a connection while it is closed as idle would ask once less.
      http.keepAliveTimeout = 0
      http.listen(0, "127.0.0.1", () => resume(Effect.succeed({ asked, http })))
    }
  ),
  ({ http }) =>
    Effect.async<void>((resume) => {
      http.close(() => resume(Effect.void))
      http.closeAllConnections()
    })
)

/** In seconds; the waits of an upload are at least one second long. */
const longestWait = (operation: StorageOperation.StorageOperation): number =>
  operation === "objects.insert" || operation === "resumable.session.create" ? 1 : 0.002

/** One call with one precondition, or none, by a client of its own: a client changes its options while it calls. */
const run = async (
  apiEndpoint: string,
  idempotencyStrategy: IdempotencyStrategy,
  operation: StorageOperation.StorageOperation,
  tried: StorageOperation.Precondition | undefined
): Promise<string> => {
  const name = `${idempotencyStrategy} ${operation} ${tried}`
  const retryOptions = { idempotencyStrategy, retryDelayMultiplier: 0.01, maxRetryDelay: longestWait(operation) }
  const storage = new Storage({ apiEndpoint, projectId: "project", useAuthWithCustomEndpoint: false, retryOptions })
  const headers = { "x-run": name, ...(tried === "If-Match" && { "if-match": "CAE=" }) }
  const request = (options: Parameters<typeof storage.request>[0]) =>
    Object.assign(options, { headers: { ...options.headers, ...headers } })
  storage.interceptors.push({ request })
  const bucket = storage.bucket("photos")
  const ended = calls[operation]?.({
    storage,
    bucket,
    file: bucket.file("cat", tried === "generation" ? { generation: 7 } : {}),
    match: tried === "ifGenerationMatch" || tried === "ifMetagenerationMatch" ? { [tried]: 7 } : {},
    tag: tried === "etag" ? { etag: "CAE=" } : {}
  })
  await ended?.then(
    () => Promise.reject(new Error(`${name} succeeded`)),
    () => undefined
  )
  return name
}

const names = StorageOperation.names.filter((name) => name in calls)
const tries = [undefined, ...StorageOperation.preconditions]

const runs = (strategy: IdempotencyStrategy) =>
  Effect.gen(function* () {
    const { asked, http } = yield* server
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    const pairs = names.flatMap((operation) => tries.map((tried) => ({ operation, tried })))
    return yield* Effect.forEach(
      pairs,
      ({ operation, tried }) =>
        Effect.map(
          Effect.promise(() => run(url, strategy, operation, tried)),
          (name): Run => {
            const [first, ...more] = asked.get(name) ?? []
            expect([name, ...more.map((call) => call?.operation)]).toEqual([name, ...more.map(() => operation)])
            expect([name, first?.operation]).toEqual([name, operation])
            return { operation, carried: first?.preconditions ?? [], requests: more.length + 1 }
          }
        ),
      { concurrency: 8 }
    )
  }).pipe(Effect.scoped)

/** As the client does, whatever it is given. */
const repetitionOf = (all: ReadonlyArray<Run>): StorageOperation.Repetition => {
  if (all.every(({ requests }) => requests > 1)) return "always"
  const enough = StorageOperation.preconditions.filter((one) =>
    all.some(({ carried, requests }) => requests > 1 && carried.includes(one))
  )
  return enough.length === 0 ? "never" : enough
}

const columns = [
  ["node", IdempotencyStrategy.RetryConditional, StorageChoices.node],
  ["nodeAlways", IdempotencyStrategy.RetryAlways, StorageChoices.nodeAlways],
  ["nodeNever", IdempotencyStrategy.RetryNever, StorageChoices.nodeNever]
] as const

describe.each(columns)("StorageChoices.%s", (_, strategy, choice) => {
  it.live("is what the client does", () =>
    Effect.gen(function* () {
      const all = yield* runs(strategy)
      const found = names.map((name) => [name, repetitionOf(all.filter(({ operation }) => operation === name))])
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(names.map((name) => [name, choice.rules.operations[name]]))
      )
      // One request, or three more; and the choice decides of each request as the client does.
      const decided = all.map(({ carried, operation }) => {
        const { _tag } = StorageIdempotency.decide(choice, { operation, preconditions: carried })
        return { operation, carried, requests: _tag === "Repeatable" ? 4 : 1 }
      })
      expect(all).toEqual(decided)
    })
  )
})
