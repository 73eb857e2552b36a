import { AttemptTimeout, Backoff, Deadline } from "@effect-retry/core"
import { Checksum, ResumableUpload, StorageRetry } from "@effect-retry/google"
import { IdempotencyKey } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Stream } from "effect"
import * as UploadServer from "../support/UploadServer.ts"

const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    VirtualClock.run,
    Effect.provide(SeededRandom.layerConstant(0.5)),
    Effect.provide(IdempotencyKey.layerSequence)
  )

const quantum = 262_144
const bytes = UploadServer.content(2.5 * quantum)
const target = { bucket: "photos", name: "cat", endpoint: UploadServer.origin }
const start = ResumableUpload.startRequest({ ...target, ifGenerationMatch: 0 })
const policy = { ...StorageRetry.standard, maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }
const options = { start, source: ResumableUpload.fromBytes(bytes), policy, chunkBytes: quantum }

const [first, second, last] = ["bytes 0-262143/*", "bytes 262144-524287/*", "bytes 524288-655359/655360"]
const status = "bytes */*"

const forever = (fault: UploadServer.Fault) => Array.from({ length: 60 }, () => fault)

/** The bytes in pieces of a size that divides no chunk. */
const pieces = (of: Uint8Array, from = 0, size = 100_003) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil((of.length - from) / size) }, (_, piece) =>
      of.subarray(from + piece * size, from + (piece + 1) * size)
    )
  )

interface Recovery {
  readonly from: string
  readonly faults: ReadonlyArray<UploadServer.Fault>
  readonly asked: ReadonlyArray<string>
}

const recoveries: ReadonlyArray<Recovery> = [
  { from: "nothing", faults: [], asked: ["start", first, second, last] },
  {
    from: "a start that fails",
    faults: [{ status: 503 }, { reset: "before" }],
    asked: ["start", "start", "start", first, second, last]
  },
  {
    from: "a start whose answer is lost",
    faults: [{ reset: "after" }],
    asked: ["start", "start", first, second, last]
  },
  { from: "a reset", faults: [{}, { reset: "before" }], asked: ["start", first, status, first, second, last] },
  { from: "a lost answer", faults: [{}, { reset: "after" }], asked: ["start", first, status, second, last] },
  {
    from: "a failed question",
    faults: [{}, { status: 503 }, { status: 408 }],
    asked: ["start", first, status, status, first, second, last]
  },
  ...[408, 429, 500, 502, 503, 504].map((code): Recovery => ({
    from: `status ${code}`,
    faults: [{}, {}, { status: code }],
    asked: ["start", first, second, status, second, last]
  })),
  {
    from: "a chunk of which a part was kept",
    faults: [{}, { keeps: 131_072 }],
    asked: ["start", first, "bytes 131072-393215/*", "bytes 393216-655359/655360"]
  },
  {
    from: "a chunk that failed when a part was kept",
    faults: [{}, {}, { keeps: 131_072, status: 503 }],
    asked: ["start", first, second, status, "bytes 393216-655359/655360"]
  },
  {
    from: "a last chunk of which a part was kept",
    faults: [{}, {}, {}, { keeps: 1 }],
    asked: ["start", first, second, last, "bytes 524289-655359/655360"]
  },
  {
    from: "a last chunk that was kept without the end",
    faults: [{}, {}, {}, { keeps: quantum, status: 503 }],
    asked: ["start", first, second, last, status, "bytes */655360"]
  },
  {
    from: "a lost last answer",
    faults: [{}, {}, {}, { reset: "after" }],
    asked: ["start", first, second, last, status]
  },
  {
    from: "a last answer that breaks",
    faults: [{}, {}, {}, { breaksAfter: 10 }],
    asked: ["start", first, second, last, status]
  },
  {
    from: "a last answer that is cut",
    faults: [{}, {}, {}, { body: '{"size": "6553' }],
    asked: ["start", first, second, last, status]
  },
  {
    from: "a server that forgets bytes",
    faults: [{}, {}, { status: 503 }, { headers: { range: undefined } }],
    asked: ["start", first, second, status, first, second, last]
  },
  {
    from: "a lost session",
    faults: [{}, {}, { loses: true }],
    asked: ["start", first, second, "start", first, second, last]
  },
  {
    from: "a session that is gone",
    faults: [{}, { status: 410 }],
    asked: ["start", first, "start", first, second, last]
  },
  {
    from: "a session that is lost in a question",
    faults: [{}, { status: 503 }, { loses: true }],
    asked: ["start", first, status, "start", first, second, last]
  },
  {
    from: "a new start that fails",
    faults: [{}, { loses: true }, { status: 503 }],
    asked: ["start", first, "start", "start", first, second, last]
  }
]

describe("ResumableUpload.run", () => {
  it.effect.each(recoveries)("recovers from $from", ({ asked, faults }) =>
    Effect.gen(function* () {
      const server = UploadServer.make(...faults)
      const uploaded = yield* ResumableUpload.run(server.client, options)
      expect(UploadServer.asked(server.calls)).toEqual(asked)
      expect(uploaded).toMatchObject({ size: bytes.length, generation: "1700000000000001", verified: ["crc32c"] })
      expect(UploadServer.areSame(server.objects, [bytes])).toBe(true)
      expect(server.open.size).toBe(0)
    }).pipe(world)
  )

  it.effect("counts the attempts and the back-off of every chunk anew", () =>
    Effect.gen(function* () {
      const failing = [{ status: 503 }, { status: 503 }]
      const server = UploadServer.make({}, ...failing, {}, {}, ...failing)
      const backoff = Backoff.exponential({ base: "1 second" })
      yield* ResumableUpload.run(server.client, { ...options, policy: { ...policy, backoff } })
      expect(server.calls.map(({ asked, atMillis }) => [asked, atMillis])).toEqual([
        ["start", 0],
        [first, 0],
        [status, 1000],
        [status, 3000],
        [first, 3000],
        [second, 3000],
        [status, 4000],
        [status, 6000],
        [second, 6000],
        [last, 6000]
      ])
    }).pipe(world)
  )

  it.effect("names the operation and counts its attempts on every request", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, {}, { status: 503 })
      yield* ResumableUpload.run(server.client, options)
      const sent = server.calls.map(({ request: { headers } }) => ({
        token: headers["x-goog-gcs-idempotency-token"],
        attempt: headers["x-goog-api-client"]?.split("/").at(-1)
      }))
      const [begun, , failed, question, again] = sent
      expect(sent.map(({ attempt }) => attempt)).toEqual(["1", "1", "1", "2", "2", "1"])
      expect(new Set([failed?.token, question?.token, again?.token]).size).toBe(1)
      expect(begun?.token).not.toBe(failed?.token)
    }).pipe(world)
  )

  it.effect("announces the size, and sends the checksums with the last bytes", () =>
    Effect.gen(function* () {
      const server = UploadServer.make()
      const checksums = ["crc32c", "md5"] as const
      const { verified } = yield* ResumableUpload.run(server.client, { ...options, checksums })
      const hash = Checksum.toHeader(Checksum.of(bytes))
      expect(verified).toEqual(checksums)
      expect(server.calls[0]?.request.headers["x-upload-content-length"]).toBe("655360")
      expect(server.calls.map(({ request }) => request.headers["x-goog-hash"])).toEqual([
        undefined,
        undefined,
        undefined,
        hash
      ])
    }).pipe(world)
  )

  it.effect("bounds the whole upload with the deadline, whatever progress there is", () =>
    Effect.gen(function* () {
      const server = UploadServer.make(...forever({ after: "4 seconds" }))
      const run = (deadline: Deadline.Deadline<Deadline.DeadlineExceeded>) =>
        Effect.exit(ResumableUpload.run(server.client, { ...options, policy: { ...policy, deadline } }))
      const refused = yield* run(Deadline.refuse("10 seconds"))
      expect(Exit.isFailure(refused)).toBe(true)
      expect(UploadServer.asked(server.calls)).toEqual(["start", first, second])
      const [elapsed, cut] = yield* Effect.timedWith(run(Deadline.cut("10 seconds")), Clock.currentTimeNanos)
      expect(Duration.toMillis(elapsed)).toBe(10_000)
      expect(Exit.isFailure(cut)).toBe(true)
      expect(server.open.size).toBe(0)
    }).pipe(world)
  )

  it.effect("begins no operation when the deadline has passed", () =>
    Effect.gen(function* () {
      const server = UploadServer.make()
      const slow = Stream.tap(pieces(bytes), () => Effect.sleep("3 seconds"))
      const failed = yield* Effect.flip(
        ResumableUpload.run(server.client, {
          ...options,
          source: ResumableUpload.fromStream(slow),
          policy: { ...policy, deadline: Deadline.refuse("10 seconds") }
        })
      )
      expect(failed).toMatchObject({ _tag: "UploadFailed", reason: { _tag: "DeadlinePassed" }, acknowledged: quantum })
      expect(UploadServer.asked(server.calls)).toEqual(["start", first])
    }).pipe(world)
  )

  it.effect("asks again after an attempt that took too long", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, { after: "1 minute" }, { after: "4 seconds" }, { after: "4 seconds" })
      const attemptTimeout = AttemptTimeout.constant("10 seconds")
      yield* ResumableUpload.run(server.client, { ...options, policy: { ...policy, attemptTimeout } })
      expect(UploadServer.asked(server.calls)).toEqual(["start", first, status, first, second, last])
      expect(server.interrupted).toEqual([1])
    }).pipe(world)
  )
})

interface Sending {
  readonly of: string
  readonly source: ResumableUpload.Source
  readonly faults?: ReadonlyArray<UploadServer.Fault>
  readonly asked: ReadonlyArray<string>
  readonly content?: Uint8Array
}

const none = new Uint8Array(0)
const even = bytes.subarray(0, 2 * quantum)
const sendings: ReadonlyArray<Sending> = [
  { of: "no bytes", source: ResumableUpload.fromBytes(none), asked: ["start", "bytes */0"], content: none },
  {
    of: "a stream of no bytes",
    source: ResumableUpload.fromStream(Stream.empty),
    asked: ["start", "bytes */0"],
    content: none
  },
  {
    of: "a stream of empty pieces",
    source: ResumableUpload.fromStream(Stream.make(none, none)),
    asked: ["start", "bytes */0"],
    content: none
  },
  {
    of: "one byte",
    source: ResumableUpload.fromBytes(bytes.subarray(0, 1)),
    asked: ["start", "bytes 0-0/1"],
    content: bytes.subarray(0, 1)
  },
  {
    of: "whole chunks",
    source: ResumableUpload.fromBytes(even),
    asked: ["start", first, "bytes 262144-524287/524288"],
    content: even
  },
  {
    of: "a stream of whole chunks",
    source: ResumableUpload.fromStream(pieces(even)),
    asked: ["start", first, "bytes 262144-524287/524288"],
    content: even
  },
  {
    of: "a stream of known size",
    source: ResumableUpload.fromStream(pieces(bytes), { size: bytes.length }),
    asked: ["start", first, second, last]
  },
  {
    of: "a stream of small pieces",
    source: ResumableUpload.fromStream(pieces(bytes, 0, 997)),
    asked: ["start", first, second, last]
  },
  {
    of: "a stream that is kept",
    source: ResumableUpload.fromStream(pieces(bytes)),
    faults: [{}, {}, { keeps: 3 }, { keeps: 5, status: 503 }, { reset: "before" }],
    asked: [
      "start",
      first,
      second,
      "bytes 262147-524290/*",
      status,
      status,
      "bytes 262152-524295/*",
      "bytes 524296-655359/655360"
    ]
  },
  {
    of: "a stream whose first chunk goes to a new session",
    source: ResumableUpload.fromStream(pieces(bytes)),
    faults: [{}, { loses: true }],
    asked: ["start", first, "start", first, second, last]
  },
  {
    of: "bytes from every place",
    source: ResumableUpload.fromOffset((offset) => pieces(bytes, offset)),
    faults: [{}, {}, {}, { loses: true }],
    asked: ["start", first, second, last, "start", first, second, last]
  },
  {
    of: "bytes from every place, of known size",
    source: ResumableUpload.fromOffset((offset) => pieces(bytes, offset), { size: bytes.length }),
    faults: [{}, {}, { keeps: 7 }],
    asked: ["start", first, second, "bytes 262151-524294/*", "bytes 524295-655359/655360"]
  }
]

describe("ResumableUpload.Source", () => {
  it.effect.each(sendings)("sends $of", ({ asked, content = bytes, faults = [], source }) =>
    Effect.gen(function* () {
      const server = UploadServer.make(...faults)
      const { verified } = yield* ResumableUpload.run(server.client, { ...options, source })
      expect(UploadServer.asked(server.calls)).toEqual(asked)
      expect(UploadServer.areSame(server.objects, [content])).toBe(true)
      expect(verified).toEqual(["crc32c"])
    }).pipe(world)
  )

  it.effect.each([
    ["longer", bytes.length - 1],
    ["shorter", bytes.length + 1]
  ] as const)("refuses a source that is %s than it said", ([, size]) =>
    Effect.gen(function* () {
      const server = UploadServer.make()
      const source = ResumableUpload.fromStream(pieces(bytes), { size })
      const failed = yield* Effect.flip(ResumableUpload.run(server.client, { ...options, source }))
      expect(failed).toMatchObject({ _tag: "UploadFailed", reason: { _tag: "SourceChanged" } })
      expect(server.objects).toEqual([])
    }).pipe(world)
  )

  it.effect("passes the error of the source through, and does not retry it", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, {}, {}, { loses: true })
      const closed: Array<number> = []
      const source = ResumableUpload.fromOffset((offset) =>
        closed.length === 0
          ? Stream.ensuring(
              pieces(bytes, offset),
              Effect.sync(() => closed.push(offset))
            )
          : Stream.fail("gone" as const)
      )
      const failed = yield* Effect.flip(ResumableUpload.run(server.client, { ...options, source }))
      expect(failed).toBe("gone")
      expect(closed).toEqual([0])
      expect(UploadServer.asked(server.calls)).toEqual(["start", first, second, last, "start"])
    }).pipe(world)
  )
})
