import { HttpBody, HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff } from "@effect-retry/core"
import { LostAnswer, StorageIdempotency, StorageRetry } from "@effect-retry/google"
import { HttpRetry } from "@effect-retry/http"
import { parametersOf } from "@effect-retry/http/unstable/ClientLine"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Context, Data, Effect } from "effect"
import * as Scripted from "../../support/ScriptedClient.ts"

const { json, make: scripted, refused, reset, world } = Scripted

const base = "https://storage.googleapis.com/storage/v1"
const upload = "https://storage.googleapis.com/upload/storage/v1"

const insert = HttpClientRequest.post(`${upload}/b/photos/o`, {
  urlParams: { uploadType: "media", name: "a/cat", ifGenerationMatch: "0", userProject: "p" },
  headers: { authorization: "Bearer t", "if-match": "x", "content-type": "text/plain", "x-goog-user-project": "p" },
  body: HttpBody.text("a cat")
})

const resource = { md5Hash: "mVH", size: "5" }
const isOurs = ({ md5Hash }: LostAnswer.Resource): boolean => md5Hash === resource.md5Hash

const policy = { backoff: Backoff.constant({ delay: "1 second" }) }
const ending = <A, E>(self: Effect.Effect<A, E>) => Effect.merge(self)

/** In a word: the status of a response, the tag of an error. */
const endOf = (outcome: unknown): number | string =>
  outcome instanceof LostAnswer.MayBeOwnSuccess
    ? `may be own success after ${outcome.attempt}`
    : ((outcome as { status?: number }).status ?? (outcome as { _tag: string })._tag)

/** What the attempts come to, and what the client makes of it. */
const suspicions: ReadonlyArray<
  readonly [title: string, steps: readonly [Scripted.Step, ...ReadonlyArray<Scripted.Step>], end: number | string]
> = [
  ["a refusal after a 503", [503, 412], "may be own success after 2"],
  ["a refusal after a broken connection", [reset, 412], "may be own success after 2"],
  ["a refusal after both", [reset, 503, 412], "may be own success after 3"],
  ["a refusal after a 408 and a refused connection", [408, refused, 412], "may be own success after 3"],
  ["a refusal at once", [412], 412],
  ["a refusal after connections that were refused", [refused, refused, 412], 412],
  ["a refusal after a 401, which was not processed", [401, 412], 401],
  ["another answer after a 503", [503, 400], 400],
  ["a 404, which an upload does not get for that", [503, 404], 404],
  ["a success", [503, 200], 200],
  ["no success at all", [503], 503],
  ["an error", [reset], "RequestError"]
]

describe("LostAnswer.suspected", () => {
  it.effect.each(suspicions)("fails when an earlier attempt can have been carried out: %s", ([, steps, end]) =>
    Effect.gen(function* () {
      const storage = LostAnswer.suspected(StorageRetry.withRetry(scripted(...steps).client, policy))
      expect(endOf(yield* ending(storage.execute(insert)))).toBe(end)
    }).pipe(world)
  )

  it.effect("says what was called, and leaves the refusal to be read", () =>
    Effect.gen(function* () {
      const { client } = scripted(503, json(412, { error: { code: 412 } }))
      const storage = client.pipe(StorageRetry.withRetry(policy), LostAnswer.suspected)
      const error = yield* Effect.flip(storage.execute(insert))
      expect(error).toBeInstanceOf(LostAnswer.MayBeOwnSuccess)
      if (!(error instanceof LostAnswer.MayBeOwnSuccess)) return
      expect(error.call).toEqual({
        operation: "objects.insert",
        preconditions: ["ifGenerationMatch", "If-Match"],
        parameters: { bucket: "photos", object: "a/cat" }
      })
      expect(error.message).toBe(
        "objects.insert was refused with 412 on attempt 2, and may have been carried out before"
      )
      expect(yield* error.response.json).toEqual({ error: { code: 412 } })
    }).pipe(world)
  )

  it.effect.each([
    [HttpClientRequest.del(`${base}/b/photos`), 404],
    [HttpClientRequest.post(`${base}/b?project=p`), 409],
    [HttpClientRequest.del(`${base}/b/photos/o/cat?generation=7`), 404],
    [HttpClientRequest.del(`${base}/b/photos/notificationConfigs/7`), 404],
    [HttpClientRequest.del(`${base}/projects/p/hmacKeys/GOOG1`), 404],
    [HttpClientRequest.patch(`${base}/b/photos/o/cat?ifMetagenerationMatch=1`), 412],
    [HttpClientRequest.post(`${base}/b/photos/o/cat/moveTo/o/tom?ifGenerationMatch=0`), 404]
  ] as const)("knows which answer means that each operation succeeded: %#", ([request, status]) =>
    Effect.gen(function* () {
      const storage = LostAnswer.suspected(StorageRetry.withRetry(scripted(503, status).client, policy))
      expect(endOf(yield* ending(storage.execute(request)))).toBe("may be own success after 2")
    }).pipe(world)
  )

  it.effect.each([
    HttpClientRequest.get(`${base}/b/photos/o/cat`),
    HttpClientRequest.get(`${base}/b/photos`),
    HttpClientRequest.put(`${upload}/b/photos/o?upload_id=u`)
  ])("suspects no read and no write to a session: %#", (request) =>
    Effect.gen(function* () {
      for (const status of [404, 409, 412]) {
        const storage = LostAnswer.suspected(StorageRetry.withRetry(scripted(503, status).client, policy))
        expect(endOf(yield* ending(storage.execute(request)))).toBe(status)
      }
    }).pipe(world)
  )

  it.effect("counts attempts even when a request has its own beforeRetry, and when that sends other requests", () =>
    Effect.gen(function* () {
      const other = StorageRetry.withRetry(scripted(503, 200).client, policy)
      const beforeRetry = (request: HttpClientRequest.HttpClientRequest) =>
        Effect.as(Effect.option(other.get(base)), request)
      const storage = (...steps: readonly [Scripted.Step, ...ReadonlyArray<Scripted.Step>]) =>
        LostAnswer.suspected(StorageRetry.withRetry(scripted(...steps).client, policy)).execute(insert)
      const plain = HttpRetry.withOptions({ beforeRetry: (request) => Effect.succeed(request) })
      const asking = HttpRetry.withOptions({ beforeRetry })
      expect(endOf(yield* ending(plain(storage(503, 412))))).toBe("may be own success after 2")
      expect(endOf(yield* ending(asking(storage(refused, 412))))).toBe(412)
    }).pipe(world)
  )

  it.effect("suspects a repetition after a timeout, and after an answer whose body broke", () =>
    Effect.gen(function* () {
      const attemptTimeout = AttemptTimeout.constant("1 second")
      const slow = scripted({ status: 200, after: "2 seconds" }, 412)
      const timed = LostAnswer.suspected(StorageRetry.withRetry(slow.client, { ...policy, attemptTimeout }))
      expect(endOf(yield* ending(timed.execute(insert)))).toBe("may be own success after 2")
      const broken = scripted({ status: 200, body: new ReadableStream({ pull: (c) => c.error(reset) }) }, 412)
      const read = LostAnswer.suspected(StorageRetry.withRetry(broken.client, policy))
      const outcome = yield* ending(HttpRetry.execute(read, insert, (response) => response.text))
      expect(endOf(outcome)).toBe("may be own success after 2")
    }).pipe(world)
  )

  it("refuses what is not a client, in its own name", () => {
    expect(() => LostAnswer.suspected("x" as never)).toThrow(
      'LostAnswer.suspected: client must be made by HttpClient.make or HttpClient.makeWith, got "x"'
    )
  })

  it.effect("recognises a refusal that the client underneath turns into an error", () =>
    Effect.gen(function* () {
      const outcome = (client: HttpClient.HttpClient) =>
        ending(LostAnswer.suspected(StorageRetry.withRetry(HttpClient.filterStatusOk(client), policy)).execute(insert))
      expect(endOf(yield* outcome(scripted(503, 412).client))).toBe("may be own success after 2")
      expect(endOf(yield* outcome(scripted(412).client))).toBe("ResponseError")
    }).pipe(world)
  )

  it.effect("tells operations apart that run at the same time, and runs of the same effect", () =>
    Effect.gen(function* () {
      const seen = new Map<string, number>()
      const client = HttpClient.make((request) =>
        Effect.sync(() => {
          const count = (seen.get(request.url) ?? 0) + 1
          seen.set(request.url, count)
          const status = request.url.endsWith("/lost") && count === 1 ? 503 : 412
          return HttpClientResponse.fromWeb(request, new Response(null, { status }))
        })
      )
      const storage = LostAnswer.suspected(StorageRetry.withRetry(client, policy))
      const patch = (name: string) =>
        ending(storage.patch(`${base}/b/photos/o/${name}`, { urlParams: { ifMetagenerationMatch: 1 } }))
      const ends = yield* Effect.all([patch("lost"), patch("plain")], { concurrency: "unbounded" })
      expect([...ends, yield* patch("lost")].map(endOf)).toEqual(["may be own success after 2", 412, 412])
    }).pipe(world)
  )
})

describe("LostAnswer.verified", () => {
  const verified = (client: HttpClient.HttpClient) =>
    client.pipe(StorageRetry.withRetry(policy), LostAnswer.verified(isOurs))

  it.effect("answers with the resource if that is our own, and with the refusal if it is not", () =>
    Effect.gen(function* () {
      const own = yield* verified(scripted(503, 412, json(200, resource)).client).execute(insert)
      expect([own.status, yield* own.json]).toEqual([200, resource])
      const others = yield* verified(scripted(503, json(412, "no"), json(200, { md5Hash: "xyz" })).client).execute(
        insert
      )
      expect([others.status, yield* others.json]).toEqual([412, "no"])
      const gone = yield* verified(scripted(503, 412, 404).client).execute(insert)
      expect(gone.status).toBe(412)
    }).pipe(world)
  )

  it.effect("reads what the write wrote, with the headers of the write, and with retries", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 412, 503, json(200, resource))
      const ofWrite = {
        "content-language": "de",
        "x-upload-content-type": "text/plain",
        "x-http-method-override": "PUT",
        "transfer-encoding": "chunked",
        expect: "100-continue"
      }
      const kept = { "x-uploads": "1", "x-expect": "1", iffy: "1" }
      const response = yield* verified(client).execute(HttpClientRequest.setHeaders(insert, { ...ofWrite, ...kept }))
      expect(response.status).toBe(200)
      const read = calls.at(-1)
      expect([calls.length, read?.method, read?.url, read?.body._tag]).toEqual([
        4,
        "GET",
        `${base}/b/photos/o/a%2Fcat`,
        "Empty"
      ])
      expect(read && parametersOf(read)).toEqual([["userProject", "p"]])
      expect(read?.headers).toMatchObject({ authorization: "Bearer t", "x-goog-user-project": "p", ...kept })
      for (const name of ["if-match", "content-type", ...Object.keys(ofWrite)]) {
        expect(calls[0]?.headers).toHaveProperty(name)
        expect(read?.headers).not.toHaveProperty(name)
      }
      expect(read?.headers["x-goog-gcs-idempotency-token"]).not.toBe(calls[0]?.headers["x-goog-gcs-idempotency-token"])
    }).pipe(world)
  )

  it.effect("reads in an operation of its own, with the parts of the header that name the client", () =>
    Effect.gen(function* () {
      const header = "x-goog-api-client"
      const { calls, client } = scripted(503, 412, 503, json(200, resource))
      yield* verified(client).execute(HttpClientRequest.setHeader(insert, header, "gl-node/24"))
      const given = calls.map(({ headers }) => headers[header])
      expect(given).toEqual([
        "gl-node/24 gccl-invocation-id/key-1 gccl-attempt-count/1",
        "gl-node/24 gccl-invocation-id/key-1 gccl-attempt-count/2",
        "gl-node/24 gccl-invocation-id/key-2 gccl-attempt-count/1",
        "gl-node/24 gccl-invocation-id/key-2 gccl-attempt-count/2"
      ])
      const own = scripted(503, 412, json(200, resource))
      yield* verified(own.client).execute(HttpClientRequest.setHeader(insert, header, "gccl-invocation-id/own"))
      expect(own.calls.map(({ headers }) => headers[header]?.split(" ")[0])).toEqual([
        "gccl-invocation-id/own",
        "gccl-invocation-id/own",
        "gccl-invocation-id/key-4"
      ])
    }).pipe(world)
  )

  it.effect("reads nothing when nothing is suspicious", () =>
    Effect.gen(function* () {
      const quiet: ReadonlyArray<
        readonly [steps: readonly [Scripted.Step, ...ReadonlyArray<Scripted.Step>], sent: number]
      > = [
        [[412], 1],
        [[503, 200], 2],
        [[refused, 412], 2]
      ]
      for (const [steps, sent] of quiet) {
        const { calls, client } = scripted(...steps)
        yield* verified(client).execute(insert)
        expect(calls.length).toBe(sent)
      }
    }).pipe(world)
  )

  /** Requests, and where what they write can be read. */
  const places: ReadonlyArray<readonly [request: HttpClientRequest.HttpClientRequest, status: number, path: string]> = [
    [insert, 412, "/b/photos/o/a%2Fcat"],
    [
      HttpClientRequest.setBody(HttpClientRequest.post(`${base}/b`), HttpBody.unsafeJson({ name: "new" })),
      409,
      "/b/new"
    ],
    [HttpClientRequest.patch(`${base}/b/photos?ifMetagenerationMatch=1`), 412, "/b/photos"],
    [HttpClientRequest.post(`${base}/b/photos/lockRetentionPolicy?ifMetagenerationMatch=1`), 412, "/b/photos"],
    [HttpClientRequest.put(`${base}/b/photos/iam`, { headers: { "if-match": "CAE=" } }), 412, "/b/photos/iam"],
    [
      HttpClientRequest.put(`${base}/projects/p/hmacKeys/G`, { headers: { "if-match": "CAE=" } }),
      412,
      "/projects/p/hmacKeys/G"
    ],
    [HttpClientRequest.patch(`${base}/b/photos/o/cat?ifMetagenerationMatch=1`), 412, "/b/photos/o/cat"],
    [HttpClientRequest.post(`${base}/b/photos/o/cat/compose?ifGenerationMatch=1`), 412, "/b/photos/o/cat"],
    [HttpClientRequest.post(`${base}/b/a/o/b/copyTo/b/c/o/d?ifGenerationMatch=1`), 412, "/b/c/o/d"],
    [HttpClientRequest.post(`${base}/b/a/o/b/moveTo/o/d?ifGenerationMatch=1`), 404, "/b/a/o/d"],
    [HttpClientRequest.post(`${base}/b/a/o/b/restore?generation=1`), 412, "/b/a/o/b"]
  ]

  it.effect.each(places)("knows where to look: %#", ([request, status, path]) =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, status, json(200, resource))
      expect((yield* verified(client).execute(request)).status).toBe(200)
      expect(calls.at(-1)?.url).toBe(`${base}${path}`)
    }).pipe(world)
  )

  it.effect("looks below the same path as the write", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 412, json(200, resource))
      const patch = HttpClientRequest.patch(
        "http://127.0.0.1:9000/gcs/storage/v1/b/x/o/y?ifMetagenerationMatch=1&key=k"
      )
      const storage = client.pipe(
        HttpClient.mapRequest(HttpClientRequest.appendUrlParam("quotaUser", "q")),
        StorageRetry.withRetry(policy),
        LostAnswer.verified(isOurs)
      )
      yield* storage.execute(patch)
      const read = calls.at(-1)
      expect([read?.url, read && parametersOf(read)]).toEqual([
        "http://127.0.0.1:9000/gcs/storage/v1/b/x/o/y",
        [
          ["key", "k"],
          ["quotaUser", "q"]
        ]
      ])
    }).pipe(world)
  )

  it.effect("takes a deletion for its own when nothing is there any more", () =>
    Effect.gen(function* () {
      const remove = HttpClientRequest.del(`${base}/b/photos/o/cat?generation=7&ifGenerationMatch=7`)
      const gone = scripted(503, 404, 404)
      const response = yield* verified(gone.client).execute(remove)
      expect([response.status, yield* response.text]).toEqual([204, ""])
      const look = gone.calls.at(-1)
      expect([look?.method, look && parametersOf(look)]).toEqual(["GET", [["generation", "7"]]])
    }).pipe(world)
  )

  /** Deletions of generation 7, what is found after their refusal, and what they end with. */
  const deletions: ReadonlyArray<
    readonly [query: string, refusal: number, found: Readonly<Record<string, string>>, end: number | string]
  > = [
    ["?ifGenerationMatch=7", 412, { generation: "7" }, 412],
    ["?ifGenerationMatch=7", 412, { generation: "8" }, 204],
    ["?ifGenerationMatch=7", 404, { generation: "8" }, 204],
    ["?ifGenerationMatch=007", 412, { generation: "7" }, 412],
    ["?generation=7", 404, { generation: "7" }, 404],
    ["?generation=7&ifGenerationMatch=7", 412, { generation: "7" }, 412],
    ["?generation=7&ifMetagenerationMatch=1", 412, { generation: "7" }, 412],
    ["?ifGenerationMatch=0&generation=7", 412, { generation: "7" }, 412],
    ["?ifGenerationMatch=7", 412, { size: "5" }, "may be own success after 2"],
    ["?ifGenerationMatch=7", 412, { generation: "eight" }, "may be own success after 2"]
  ]

  it.effect.each(deletions)("compares the generation when a deletion %s was refused with %d", (row) =>
    Effect.gen(function* () {
      const [query, refusal, found, end] = row
      const remove = HttpClientRequest.del(`${base}/b/photos/o/cat${query}`)
      const client = verified(scripted(503, refusal, json(200, found)).client)
      expect(endOf(yield* ending(client.execute(remove)))).toBe(end)
    }).pipe(world)
  )

  it.effect("takes an object that is there after a deletion was refused with 404 for a later one", () =>
    Effect.gen(function* () {
      const remove = HttpClientRequest.del(`${base}/b/photos`)
      const later = yield* verified(scripted(503, 404, json(200, {})).client).execute(remove)
      expect(later.status).toBe(204)
      const same = yield* verified(scripted(503, 412, json(200, {})).client).execute(remove)
      expect(same.status).toBe(412)
    }).pipe(world)
  )

  it.effect("answers a rewrite as the API does", () =>
    Effect.gen(function* () {
      const rewrite = HttpClientRequest.post(`${base}/b/a/o/b/rewriteTo/b/c/o/d?ifGenerationMatch=0`)
      const response = yield* verified(scripted(503, 412, json(200, resource)).client).execute(rewrite)
      expect(yield* response.json).toEqual({
        kind: "storage#rewriteResponse",
        done: true,
        objectSize: "5",
        totalBytesRewritten: "5",
        resource
      })
      const empty = yield* verified(scripted(503, 412, json(200, { md5Hash: "mVH" })).client).execute(rewrite)
      expect(yield* empty.json).toMatchObject({ objectSize: "0", totalBytesRewritten: "0" })
    }).pipe(world)
  )

  /** Reads that resolve nothing. */
  const unresolved: ReadonlyArray<readonly [title: string, step: Scripted.Step]> = [
    ["is forbidden", 403],
    ["fails", 500],
    ["breaks", reset],
    ["is no JSON", { status: 200, body: "<html>" }],
    ["is no record", json(200, [resource])],
    ["is too long", json(200, { ...resource, x: "x".repeat(1_048_576) })]
  ]

  it.effect.each(unresolved)("leaves it open when the read %s", ([, step]) =>
    Effect.gen(function* () {
      const outcome = yield* ending(verified(scripted(503, 412, step).client).execute(insert))
      expect(endOf(outcome)).toBe("may be own success after 2")
    }).pipe(world)
  )

  it.effect("leaves it open when the request does not say what it writes", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 412)
      const multipart = HttpClientRequest.post(`${upload}/b/photos/o?uploadType=multipart&ifGenerationMatch=0`)
      expect(endOf(yield* ending(verified(client).execute(multipart)))).toBe("may be own success after 2")
      const xml = HttpClientRequest.put("https://storage.googleapis.com/photos/cat", {
        headers: { "x-goog-if-generation-match": "0" }
      })
      expect(endOf(yield* ending(verified(scripted(503, 412).client).execute(xml)))).toBe("may be own success after 2")
      const key = HttpClientRequest.del(`${base}/projects/p/hmacKeys/GOOG1`)
      expect(endOf(yield* ending(verified(scripted(503, 404).client).execute(key)))).toBe("may be own success after 2")
      expect(calls.length).toBe(2)
    }).pipe(world)
  )

  class Unsure extends Data.TaggedError("Unsure") {}

  it.effect("asks an effect as well, and fails with its error", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const storage = (answer: Effect.Effect<boolean, Unsure>) =>
        scripted(503, 412, json(200, resource)).client.pipe(
          StorageRetry.withRetry(policy),
          LostAnswer.verified((found, { call }) => {
            asked.push(`${call.operation} ${String(found["size"])}`)
            return answer
          })
        )
      expect(endOf(yield* ending(storage(Effect.succeed(true)).execute(insert)))).toBe(200)
      expect(endOf(yield* ending(storage(Effect.succeed(false)).execute(insert)))).toBe(412)
      expect(endOf(yield* ending(storage(Effect.fail(new Unsure())).execute(insert)))).toBe("Unsure")
      expect(asked).toEqual(["objects.insert 5", "objects.insert 5", "objects.insert 5"])
    }).pipe(world)
  )

  it.effect("gives the reader of HttpRetry.execute the client's final answer", () =>
    Effect.gen(function* () {
      const { client } = scripted(503, json(412, "no"), json(200, resource))
      const read = HttpRetry.execute(verified(client), insert, (response) => response.json)
      expect(yield* read).toEqual(resource)
    }).pipe(world)
  )

  it.effect("keeps the refusal that a client underneath turns into an error", () =>
    Effect.gen(function* () {
      const storage = (md5Hash: string) =>
        verified(HttpClient.filterStatusOk(scripted(503, 412, json(200, { md5Hash })).client))
      expect(endOf(yield* ending(storage("mVH").execute(insert)))).toBe(200)
      const error = yield* Effect.flip(storage("other").execute(insert))
      expect(error).toBeInstanceOf(HttpClientError.ResponseError)
    }).pipe(world)
  )

  it.effect("suspects nothing without retries", () =>
    Effect.gen(function* () {
      const storage = scripted(412).client.pipe(
        StorageRetry.withRetry({ idempotency: StorageIdempotency.never }),
        LostAnswer.verified(isOurs)
      )
      expect((yield* storage.execute(insert)).status).toBe(412)
      expect((yield* LostAnswer.verified(scripted(412).client, isOurs).execute(insert)).status).toBe(412)
    }).pipe(world)
  )

  class Checksums extends Context.Tag("test/Checksums")<Checksums, string>() {}

  it("adds its errors and services to the client's", () => {
    const { client } = scripted(200)
    type Errors = HttpClientError.HttpClientError | LostAnswer.MayBeOwnSuccess
    expectTypeOf(LostAnswer.suspected(client)).toEqualTypeOf<HttpClient.HttpClient.With<Errors>>()
    expectTypeOf(LostAnswer.verified(client, isOurs)).toEqualTypeOf<HttpClient.HttpClient.With<Errors>>()
    expectTypeOf(client.pipe(LostAnswer.verified(({ size }) => size === "5"))).toEqualTypeOf<
      HttpClient.HttpClient.With<Errors>
    >()
    const asking = client.pipe(
      LostAnswer.verified(({ md5Hash }) =>
        Effect.flatMap(Checksums, (sum) => (sum === "" ? Effect.fail(new Unsure()) : Effect.succeed(sum === md5Hash)))
      )
    )
    expectTypeOf(asking).toEqualTypeOf<HttpClient.HttpClient.With<Errors | Unsure, Checksums>>()
    expect(() => LostAnswer.verified(client, true as never)).toThrow("LostAnswer.verified: isOwn must be a function")
    expect(() => LostAnswer.verified({} as never, isOurs)).toThrow("LostAnswer.verified: client must be made by")
  })
})
