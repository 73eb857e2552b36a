import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Backoff } from "@effect-retry/core"
import { Checksum, StorageDownload, StorageRetry } from "@effect-retry/google"
import { IdempotencyKey } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import * as UploadServer from "../../support/UploadServer.ts"

const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    VirtualClock.run,
    Effect.provide(SeededRandom.layerConstant(0.5)),
    Effect.provide(IdempotencyKey.layerSequence)
  )

const policy = { ...StorageRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }
const content = UploadServer.content(40)
const other = UploadServer.content(50).subarray(10)

/** How one request is answered. What is left out is as the service does it. */
interface Step {
  readonly status?: number
  /** The object was replaced. */
  readonly isReplaced?: boolean
  readonly breaksAfter?: number
  readonly damages?: boolean
  readonly headers?: { readonly [name: string]: string | undefined }
}

/** One object, of which the bucket keeps the live generation alone unless it `keepsVersions`. */
const server = (steps: ReadonlyArray<Step>, keepsVersions = false) => {
  const calls: Array<HttpClientRequest.HttpClientRequest> = []
  let live = 1
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      const step = steps[calls.length] ?? {}
      calls.push(request)
      if (step.isReplaced === true) live = 2
      const { body, headers, status } = answer(url, request.headers, live, keepsVersions, step)
      const given = Object.entries({ ...headers, ...step.headers }).filter(
        (header): header is [string, string] => header[1] !== undefined
      )
      const sent = step.damages === true ? body.map((byte, place) => (place === 3 ? byte ^ 1 : byte)) : body
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => {
          if (sent.length > 0) controller.enqueue(sent.slice(0, step.breaksAfter))
        },
        pull: (controller) => {
          if (step.breaksAfter === undefined) controller.close()
          else controller.error(UploadServer.reset)
        }
      })
      return HttpClientResponse.fromWeb(request, new Response(stream, { status, headers: given }))
    })
  )
  return { calls, client }
}

const nothing = new Uint8Array(0)

const answer = (
  { searchParams }: URL,
  asked: { readonly [name: string]: string | undefined },
  live: number,
  keepsVersions: boolean,
  { status }: Step
) => {
  const generation = Number(searchParams.get("generation") ?? live)
  if (status !== undefined && status >= 300) return { status, headers: {}, body: nothing }
  if (generation !== live && !keepsVersions) return { status: 404, headers: {}, body: nothing }
  if (asked["if-match"] !== undefined && asked["if-match"] !== `"${live}"`) {
    return { status: 412, headers: {}, body: nothing }
  }
  const whole = generation === 1 ? content : other
  const [, first = "0", last = ""] = /^bytes=(\d+)-(\d*)$/.exec(asked["range"] ?? "") ?? []
  const body = whole.slice(Number(first), last === "" ? undefined : Number(last) + 1)
  const headers = {
    etag: `"${generation}"`,
    "content-length": `${body.length}`,
    "x-goog-hash": Checksum.toHeader(Checksum.of(whole)),
    "x-goog-generation": `${generation}`,
    "x-goog-stored-content-encoding": "identity",
    "x-goog-stored-content-length": `${whole.length}`,
    "content-range": `bytes ${first}-${Number(first) + body.length - 1}/${whole.length}`
  }
  return { status: status ?? (asked["range"] === undefined ? 200 : 206), headers, body }
}

const target = { bucket: "photos", name: "a/cat", endpoint: UploadServer.origin }
const get = StorageDownload.mediaRequest(target)

const downloaded = (
  { calls, client }: ReturnType<typeof server>,
  request = get,
  checksums?: ReadonlyArray<Checksum.Algorithm>
) =>
  Effect.gen(function* () {
    const found: Array<StorageDownload.Verification> = []
    const received: Array<number> = []
    const stream = StorageDownload.stream(StorageRetry.withRetry(client, policy), request, {
      checksums,
      report: (verification) => Effect.sync(() => found.push(verification))
    })
    const ended = yield* Effect.match(
      Stream.runForEach(stream, (bytes) => Effect.sync(() => received.push(...bytes))),
      {
        onFailure: (error) => ({ error }),
        onSuccess: () => "to the end"
      }
    )
    return {
      bytes: Uint8Array.from(received),
      ended,
      found,
      asked: calls.map(({ headers, urlParams }) => [headers["range"], Object.fromEntries(urlParams)["generation"]])
    }
  })

describe("StorageDownload.stream", () => {
  it.effect("goes on where it broke, with the generation of its first answer", () =>
    Effect.gen(function* () {
      const { asked, bytes, ended, found } = yield* downloaded(
        server([{ status: 503 }, { breaksAfter: 0 }, { breaksAfter: 7 }, { status: 503 }, { breaksAfter: 5 }])
      )
      expect(ended).toBe("to the end")
      expect(bytes).toEqual(content)
      expect(asked).toEqual([
        [undefined, undefined],
        [undefined, undefined],
        [undefined, undefined],
        ["bytes=7-", "1"],
        ["bytes=7-", "1"],
        ["bytes=12-", "1"]
      ])
      expect(found).toEqual([{ _tag: "Verified", algorithms: ["crc32c"], generation: "1" }])
    }).pipe(world)
  )

  it.effect("goes on in a generation that was replaced, if the bucket keeps it", () =>
    Effect.gen(function* () {
      const { bytes, found } = yield* downloaded(server([{ breaksAfter: 7 }, { isReplaced: true }], true))
      expect(bytes).toEqual(content)
      expect(found).toEqual([{ _tag: "Verified", algorithms: ["crc32c"], generation: "1" }])
    }).pipe(world)
  )

  it.effect.each([
    ["is gone", server([{ breaksAfter: 7 }, { isReplaced: true }]), "OtherVersion", "the generation is gone"],
    [
      "is another one",
      server([{ breaksAfter: 7 }, { headers: { "x-goog-generation": "2" } }]),
      "OtherVersion",
      "a part with another validator"
    ],
    [
      "is not told",
      server([{ breaksAfter: 7 }, { headers: { "x-goog-generation": undefined } }]),
      "OtherVersion",
      "a part with another validator"
    ]
  ] as const)("fails when the generation %s", ([, from, _tag, why]) =>
    Effect.gen(function* () {
      const { bytes, ended, found } = yield* downloaded(from)
      expect(bytes).toEqual(content.slice(0, 7))
      expect(ended).toMatchObject({ error: { _tag: "DownloadFailed", reason: { _tag, why }, received: 7 } })
      expect(found).toEqual([])
    }).pipe(world)
  )

  it.effect("passes on an object that was incomplete from the start", () =>
    Effect.gen(function* () {
      const { ended } = yield* downloaded(server([{ status: 404 }]))
      expect(ended).toMatchObject({ error: { _tag: "ResponseError", reason: "StatusCode" } })
    }).pipe(world)
  )

  it.effect("takes the rest with status 200, if its Content-Range says what it is", () =>
    Effect.gen(function* () {
      const right = yield* downloaded(server([{ breaksAfter: 7 }, { status: 200, breaksAfter: 4 }]))
      expect(right.bytes).toEqual(content)
      const range = { "content-range": "bytes 0-39/40" }
      const wrong = yield* downloaded(server([{ breaksAfter: 7 }, { status: 200, headers: range }]))
      expect(wrong.ended).toMatchObject({ error: { reason: { _tag: "WrongPart" } } })
      const silent = yield* downloaded(
        server([{ breaksAfter: 7 }, { status: 200, headers: { "content-range": undefined } }])
      )
      expect(silent.ended).toMatchObject({ error: { reason: { _tag: "RangeRefused" } } })
    }).pipe(world)
  )

  it.effect("fails at the end when the bytes do not match the checksum", () =>
    Effect.gen(function* () {
      const { bytes, ended, found } = yield* downloaded(server([{ breaksAfter: 20, damages: true }]))
      expect(bytes).toHaveLength(content.length)
      const actual = Checksum.of(bytes).crc32c
      const expected = Checksum.of(content).crc32c
      expect(ended).toMatchObject({
        error: { _tag: "ChecksumMismatch", algorithm: "crc32c", expected, actual, generation: "1" }
      })
      expect(ended).toMatchObject({ error: { message: `the crc32c is ${actual} and not ${expected}` } })
      expect(found).toEqual([])
    }).pipe(world)
  )

  it.effect("compares the algorithms that were asked for", () =>
    Effect.gen(function* () {
      const both = yield* downloaded(server([]), get, ["md5", "crc32c"])
      expect(both.found).toEqual([{ _tag: "Verified", algorithms: ["crc32c", "md5"], generation: "1" }])
      const composite = { "x-goog-hash": `crc32c=${Checksum.of(content).crc32c}` }
      const one = yield* downloaded(server([{ headers: composite }]), get, ["md5", "crc32c"])
      expect(one.found).toMatchObject([{ _tag: "Verified", algorithms: ["crc32c"] }])
    }).pipe(world)
  )

  it.effect.each([
    ["a range", [], HttpClientRequest.setHeader(get, "range", "bytes=5-9"), "a range of the object"],
    ["no hash", [{ headers: { "x-goog-hash": undefined } }], get, "the answer has none of the checksums"],
    ["a broken hash", [{ headers: { "x-goog-hash": "crc32c=AAAA" } }], get, "the answer has none of the checksums"],
    [
      "what the server decompressed",
      [{ headers: { "x-goog-stored-content-encoding": "gzip" } }],
      get,
      "the server decompressed the object"
    ]
  ] as const)("compares nothing of %s, and says so", ([, steps, request, why]) =>
    Effect.gen(function* () {
      const { ended, found } = yield* downloaded(server(steps), request)
      expect(ended).toBe("to the end")
      expect(found).toMatchObject([{ _tag: "Skipped", why }])
    }).pipe(world)
  )

  it.effect("compares nothing of an answer with a content coding", () =>
    Effect.gen(function* () {
      const coded = { "content-encoding": "gzip", "x-goog-stored-content-encoding": "gzip" }
      const { found } = yield* downloaded(server([{ headers: coded }]))
      expect(found).toEqual([{ _tag: "Skipped", why: "the answer has a coding, or no bytes", generation: "1" }])
    }).pipe(world)
  )

  it.effect("compares nothing with an answer that broke before its first byte, and was replaced by a coded one", () =>
    Effect.gen(function* () {
      const coded = { "content-encoding": "gzip", "x-goog-stored-content-encoding": "gzip" }
      const { bytes, ended, found } = yield* downloaded(
        server([{ breaksAfter: 0 }, { isReplaced: true, headers: coded }])
      )
      expect(ended).toBe("to the end")
      expect(bytes).toEqual(other)
      expect(found).toEqual([{ _tag: "Skipped", why: "the answer has a coding, or no bytes", generation: "2" }])
    }).pipe(world)
  )

  it.effect("compares the bytes of an answer that has no ranges", () =>
    Effect.gen(function* () {
      const { found } = yield* downloaded(server([{ headers: { "accept-ranges": "none" } }]))
      expect(found).toMatchObject([{ _tag: "Verified" }])
    }).pipe(world)
  )

  it.effect("does not resume a download that the server decompresses", () =>
    Effect.gen(function* () {
      const headers = { "x-goog-stored-content-encoding": "gzip", "content-length": undefined }
      const { ended } = yield* downloaded(server([{ breaksAfter: 7, headers }]))
      expect(ended).toMatchObject({ error: { _tag: "DownloadFailed", reason: { _tag: "NotResumable" } } })
    }).pipe(world)
  )

  it.effect.each(["X-Goog-Signature", "Signature"])("leaves a URL with %s as it is", (parameter) =>
    Effect.gen(function* () {
      const signed = HttpClientRequest.get(`${UploadServer.origin}/photos/cat?${parameter}=abc`)
      const storage = server([{ breaksAfter: 7 }])
      const { asked, bytes } = yield* downloaded(storage, signed)
      expect(bytes).toEqual(content)
      expect(asked).toEqual([
        [undefined, undefined],
        ["bytes=7-", undefined]
      ])
      expect(storage.calls[1]?.headers["if-match"]).toBe('"1"')
    }).pipe(world)
  )

  it.effect("leaves a generation in the URL as it is", () =>
    Effect.gen(function* () {
      const pinned = HttpClientRequest.get(`${UploadServer.origin}/photos/cat?generation=1`)
      const { asked, bytes } = yield* downloaded(server([{ breaksAfter: 7 }]), pinned)
      expect(bytes).toEqual(content)
      expect(asked.at(-1)).toEqual(["bytes=7-", undefined])
    }).pipe(world)
  )

  it.effect("can be run twice", () =>
    Effect.gen(function* () {
      const { client } = server([])
      const stream = StorageDownload.stream(StorageRetry.withRetry(client, policy), get)
      const twice = yield* Stream.runCollect(Stream.concat(stream, stream))
      expect(Chunk.toReadonlyArray(twice).reduce((sum, bytes) => sum + bytes.length, 0)).toBe(2 * content.length)
    }).pipe(world)
  )

  it("refuses unknown options", () => {
    const { client } = server([])
    const options = (given: unknown) => () => StorageDownload.stream(client, get, given as StorageDownload.Options)
    expect(options({ checksums: ["sha1"] })).toThrow("StorageDownload.stream: checksums must be")
    expect(options({ report: "yes" })).toThrow("StorageDownload.stream: report must be")
    expect(options(null)).toThrow("StorageDownload.stream: options must be")
    expect(options({ checksum: [] })).toThrow("StorageDownload.stream: checksum must be absent")
    const several = HttpClientRequest.setHeader(get, "range", "bytes=0-1,3-4")
    expect(() => StorageDownload.stream(client, several)).toThrow("request.headers.range must be")
  })
})

describe("StorageDownload.stream", () => {
  it.each([null, undefined, NaN, "https://storage.test", {}, [], () => get])(
    "refuses a request or client of %j",
    (none) => {
      const { client } = server([])
      const given = none as never
      const request = "StorageDownload.stream: request must be a request"
      const noClient = "StorageDownload.stream: client must be made by HttpClient.make or HttpClient.makeWith"
      expect(() => StorageDownload.stream(client, given)).toThrow(request)
      expect(() => StorageDownload.stream(given, {})(client)).toThrow(request)
      expect(() => StorageDownload.stream(given, get)).toThrow(noClient)
      expect(() => StorageDownload.stream(given, get, {})).toThrow(noClient)
      expect(() => StorageDownload.stream(get)(given)).toThrow(noClient)
    }
  )
})

describe("StorageDownload.mediaRequest", () => {
  it("names the object", () => {
    const { method, url, urlParams } = StorageDownload.mediaRequest({ ...target, generation: 7n })
    expect([method, url]).toEqual(["GET", `${UploadServer.origin}/storage/v1/b/photos/o/a%2Fcat`])
    expect(Object.fromEntries(urlParams)).toEqual({ alt: "media", generation: "7" })
  })

  it.each([
    ["bucket", { bucket: "" }],
    ["bucket", { bucket: ".." }],
    ["name", { name: "" }],
    ["name", { name: "." }],
    ["generation", { generation: -1 }],
    ["genration", { genration: 7 }],
    ["generation", { generation: "7&alt=json" }],
    ["endpoint", { endpoint: "storage.googleapis.com" }],
    ["endpoint", { endpoint: "https://storage.googleapis.com/?a=b" }]
  ] as const)("refuses a %s of %j", (field, wrong) => {
    expect(() => StorageDownload.mediaRequest({ ...target, ...wrong })).toThrow(
      `StorageDownload.mediaRequest: ${field} must be`
    )
  })
})
