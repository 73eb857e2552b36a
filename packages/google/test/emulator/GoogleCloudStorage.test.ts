/**
 * The emulator under the official client, with its own retries: what passes there, passes here.
 */
import { type Bucket, type File, Storage } from "@google-cloud/storage"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Scenario, scenarios } from "../conformance/Scenarios.ts"
import * as Buckets from "./Buckets.ts"
import * as Emulator from "./Emulator.ts"
import * as Objects from "./Objects.ts"
import * as Preconditions from "./Preconditions.ts"
import * as State from "./State.ts"

const kib = 1024

/** In seconds. Waits have a jitter of one, which the longest wait bounds; of an upload, the first is at least one. */
const longestWait = (method: string): number => (method === "objects.insert" ? 1 : 0.002)

const clientOf = ({ url }: Emulator.Emulator, maxRetryDelay: number): Storage =>
  new Storage({ apiEndpoint: url, projectId: "project", retryOptions: { retryDelayMultiplier: 0.01, maxRetryDelay } })

/** Every request of the client carries the id of a retry test. */
const marked = (storage: Storage, id: string): Storage => {
  const request = (options: Parameters<typeof storage.request>[0]) =>
    Object.assign(options, { headers: { ...options.headers, "x-retry-test-id": id } })
  storage.interceptors.push({ request })
  return storage
}

describe("Emulator.start", () => {
  it.live("serves the official client", () =>
    Effect.gen(function* () {
      const emulator = yield* Emulator.start()
      yield* Effect.promise(async () => {
        const [bucket] = await clientOf(emulator, 1).createBucket("photos")
        const whole = Buffer.alloc(1200 * kib, "meow")
        await bucket.file("cats/a b.txt").save("meow", { resumable: false, metadata: { contentType: "text/plain" } })
        await bucket.file("big").save(whole, { resumable: true, chunkSize: 512 * kib })
        expect((await bucket.getFiles())[0].map(({ name }) => name)).toEqual(["big", "cats/a b.txt"])
        expect((await bucket.file("cats/a b.txt").download())[0].toString()).toBe("meow")
        // The client compares the checksum of what it has read.
        expect((await bucket.file("big").download({ validation: "crc32c" }))[0].equals(whole)).toBe(true)
        expect((await bucket.file("big").download({ start: 4, end: 7 }))[0].toString()).toBe("meow")
        const [metadata] = await bucket.file("cats/a b.txt").getMetadata()
        expect(metadata).toMatchObject({ bucket: "photos", contentType: "text/plain", size: "4", metageneration: "1" })
        await bucket.file("big").copy(bucket.file("copy"))
        await bucket.combine(["big", "cats/a b.txt"], "sum")
        expect((await bucket.file("sum").getMetadata())[0].size).toBe(String(1200 * kib + 4))
        await bucket.deleteFiles()
        await bucket.delete()
        expect(await bucket.exists()).toEqual([false])
      })
      expect(emulator.state.buckets.size).toBe(0)
      expect(emulator.state.written.map(({ name }) => name)).toEqual(["cats/a b.txt", "big", "copy", "sum"])
    }).pipe(Effect.scoped)
  )
})

/** What a call is given. */
interface Given {
  /** Its requests carry the id of a retry test. */
  readonly storage: Storage
  readonly bucket: Bucket
  readonly file: File
  /** Of the current policy, if a precondition is wanted; and so on. */
  readonly iamEtag: { readonly etag?: string }
  readonly generation: { readonly ifGenerationMatch?: number }
  readonly metageneration: { readonly ifMetagenerationMatch?: number }
  readonly absent: { readonly ifGenerationMatch?: number }
}

const [entity, role, notification, accessId] = ["allUsers", "READER", "7", "GOOG1E"]

/** A call of the client for each method. It copies by rewriting, and changes access controls by PUT. */
const calls: Readonly<Record<string, (given: Given) => Promise<unknown>>> = {
  "bucket_acl.delete": ({ bucket }) => bucket.acl.delete({ entity }),
  "bucket_acl.get": ({ bucket }) => bucket.acl.get({ entity }),
  "bucket_acl.insert": ({ bucket }) => bucket.acl.add({ entity, role }),
  "bucket_acl.list": ({ bucket }) => bucket.acl.get(),
  "bucket_acl.update": ({ bucket }) => bucket.acl.update({ entity, role }),
  "buckets.delete": ({ bucket }) => bucket.delete(),
  "buckets.get": ({ bucket }) => bucket.getMetadata(),
  "buckets.getIamPolicy": ({ bucket }) => bucket.iam.getPolicy(),
  "buckets.insert": ({ bucket, storage }) => storage.createBucket(`${bucket.name}-2`),
  "buckets.list": ({ storage }) => storage.getBuckets(),
  "buckets.lockRetentionPolicy": ({ bucket }) => bucket.lock(1),
  "buckets.patch": ({ bucket, metageneration }) => bucket.setMetadata({ labels: { a: "b" } }, metageneration),
  "buckets.setIamPolicy": ({ bucket, iamEtag }) => bucket.iam.setPolicy({ bindings: [], ...iamEtag }),
  "buckets.testIamPermissions": ({ bucket }) => bucket.iam.testPermissions("storage.buckets.get"),
  "default_object_acl.delete": ({ bucket }) => bucket.acl.default.delete({ entity }),
  "default_object_acl.get": ({ bucket }) => bucket.acl.default.get({ entity }),
  "default_object_acl.insert": ({ bucket }) => bucket.acl.default.add({ entity, role }),
  "default_object_acl.list": ({ bucket }) => bucket.acl.default.get(),
  "default_object_acl.update": ({ bucket }) => bucket.acl.default.update({ entity, role }),
  "hmacKey.create": ({ storage }) => storage.createHmacKey("keys@project.iam.gserviceaccount.com"),
  "hmacKey.delete": ({ bucket, storage }) => storage.hmacKey(`${accessId}${bucket.name}`).delete(),
  "hmacKey.get": ({ bucket, storage }) => storage.hmacKey(`${accessId}${bucket.name}`).getMetadata(),
  "hmacKey.list": ({ storage }) => storage.getHmacKeys(),
  "hmacKey.update": ({ bucket, storage }) =>
    storage.hmacKey(`${accessId}${bucket.name}`).setMetadata({ state: "ACTIVE" }),
  "notifications.delete": ({ bucket }) => bucket.notification(notification).delete(),
  "notifications.get": ({ bucket }) => bucket.notification(notification).getMetadata(),
  "notifications.insert": ({ bucket }) => bucket.createNotification("topic"),
  "notifications.list": ({ bucket }) => bucket.getNotifications(),
  "object_acl.delete": ({ file }) => file.acl.delete({ entity }),
  "object_acl.get": ({ file }) => file.acl.get({ entity }),
  "object_acl.insert": ({ file }) => file.acl.add({ entity, role }),
  "object_acl.list": ({ file }) => file.acl.get(),
  "object_acl.update": ({ file }) => file.acl.update({ entity, role }),
  "objects.compose": ({ absent, bucket, file }) => bucket.combine([file, file], "sum", absent),
  "objects.delete": ({ file, generation }) => file.delete(generation),
  "objects.get": ({ file }) => file.getMetadata(),
  "objects.insert": ({ absent, bucket }) =>
    bucket.file("new").save("meow", { resumable: false, preconditionOpts: absent }),
  "objects.list": ({ bucket }) => bucket.getFiles(),
  "objects.patch": ({ file, metageneration }) => file.setMetadata({ metadata: { a: "b" } }, metageneration),
  "objects.rewrite": ({ absent, bucket, file }) => file.copy(bucket.file("copy"), { preconditionOpts: absent }),
  "serviceaccount.get": ({ storage }) => storage.getServiceAccount()
}

/** What there is before a call, with a name of its own. */
const created = ({ state }: Emulator.Emulator, name: string) => {
  const acl = new Map([[entity, role]])
  const bucket = { ...Buckets.create(state, name, { retentionPolicy: { retentionPeriod: "1" } }), acl }
  state.buckets.set(name, { ...bucket, defaultObjectAcl: acl })
  bucket.notifications.set(notification, { id: notification, topic: "topic" })
  const now = State.now()
  state.hmacKeys.set(`${accessId}${name}`, {
    accessId: `${accessId}${name}`,
    project: "project",
    serviceAccountEmail: "",
    state: "INACTIVE",
    etag: "",
    timeCreated: now,
    updated: now
  })
  const draft = { name: "object", data: Buffer.from("meow"), contentType: "text/plain", fields: {} }
  return { bucket, object: Objects.write(state, { ...bucket, defaultObjectAcl: acl }, draft, Preconditions.none) }
}

/** Runs one call, and answers whether it did otherwise than the scenario says. */
const run = async (
  emulator: Emulator.Emulator,
  { expects, precondition }: Scenario,
  method: string,
  instructions: ReadonlyArray<string>
) => {
  const { id } = emulator.retryTest({ [`storage.${method}`]: instructions })
  const { bucket, object } = created(emulator, id)
  if (method === "buckets.delete") bucket.objects.clear()
  const storage = marked(clientOf(emulator, longestWait(method)), id)
  const handle = storage.bucket(bucket.name)
  const outcome = await (calls[method] ?? (() => Promise.reject(new Error(`no call of ${method}`))))({
    storage,
    bucket: handle,
    file: handle.file(object.name),
    iamEtag: precondition ? { etag: String(bucket.iam["etag"]) } : {},
    generation: precondition ? { ifGenerationMatch: object.generation } : {},
    metageneration: precondition ? { ifMetagenerationMatch: 1 } : {},
    absent: precondition ? { ifGenerationMatch: 0 } : {}
  }).then(
    () => "success",
    () => "failure"
  )
  return outcome !== expects || !emulator.remaining(id).completed
}

/** What the client does otherwise: it repeats these updates never, and these changes of access controls always. */
const departures: Readonly<Record<number, ReadonlyArray<string>>> = {
  2: ["hmacKey.update"],
  4: ["bucket_acl", "default_object_acl", "object_acl"].flatMap((of) => [`${of}.delete`, `${of}.update`]),
  6: ["hmacKey.update"]
}

describe("@google-cloud/storage", () => {
  it.live.each(scenarios.filter(({ group }) => group === undefined))(
    "passes scenario $id of Google's, except for known departures: $description",
    (scenario) =>
      Effect.gen(function* () {
        const emulator = yield* Emulator.start()
        const methods = scenario.methods.map((method) => method.replace("storage.", "")).filter((name) => name in calls)
        // Each method with one of the cases in turn.
        const caseOf = (index: number) => scenario.cases[index % scenario.cases.length] ?? []
        const failed = yield* Effect.promise(() =>
          Promise.all(methods.map((method, index) => run(emulator, scenario, method, caseOf(index))))
        )
        expect(methods.filter((_, index) => failed[index])).toEqual(departures[scenario.id] ?? [])
      }).pipe(Effect.scoped)
  )

  // It has no retries for what comes after so many bytes twice.
  const uploads = scenarios.flatMap(({ cases, group }) => (group === "resumable upload" ? cases.slice(0, 3) : []))

  it.live("passes the scenario of resumable uploads, except for its last case", () =>
    Effect.gen(function* () {
      const emulator = yield* Emulator.start({ buckets: ["photos"] })
      yield* Effect.promise(() =>
        Promise.all(
          uploads.map(async (instructions, index) => {
            const { id } = emulator.retryTest({ "storage.objects.insert": instructions })
            const file = marked(clientOf(emulator, 1), id).bucket("photos").file(`cat ${index}`)
            await file.save(Buffer.alloc(600 * kib, index), { preconditionOpts: { ifGenerationMatch: 0 } })
            expect(emulator.remaining(id).completed).toBe(true)
          })
        )
      )
      expect(emulator.state.written).toHaveLength(uploads.length)
    }).pipe(Effect.scoped)
  )
})
