import { AttemptTimeout, Backoff, Deadline } from "@effect-retry/core"
import { Checksum, ResumableUpload } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Option, Redacted, Stream } from "effect"
import * as Uploads from "../../support/Uploads.ts"
import * as UploadServer from "../../support/UploadServer.ts"

const { bytes, first, forever, last, options, pieces, policy, quantum, second, status, world } = Uploads

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
    from: "a last answer without a body",
    faults: [{}, {}, {}, { body: "" }],
    asked: ["start", first, second, last, status]
  },
  {
    from: "an answer without a body to a question",
    faults: [{}, {}, {}, { reset: "after" }, { body: "" }],
    asked: ["start", first, second, last, status, status]
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

/** Ends with what the stream has told, and how it ended. */
const told = <E, R>(stream: Stream.Stream<ResumableUpload.Event, E, R>) =>
  Effect.gen(function* () {
    const events: Array<ResumableUpload.Event> = []
    const exit = yield* Effect.exit(Stream.runForEach(stream, (event) => Effect.sync(() => events.push(event))))
    return {
      events,
      exit,
      shown: events.map((event) => ("offset" in event ? [event._tag, event.offset] : [event._tag]))
    }
  })

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

  it.effect("ignores an attempt that another one has replaced", () =>
    Effect.gen(function* () {
      const late = { after: "15 seconds", isUninterruptible: true } as const
      const server = UploadServer.make({}, late, {}, { after: "7 seconds" }, { after: "7 seconds" })
      const attemptTimeout = AttemptTimeout.disconnected(AttemptTimeout.constant("10 seconds"))
      const { shown } = yield* told(
        ResumableUpload.stream(server.client, { ...options, policy: { ...policy, attemptTimeout } })
      )
      expect(UploadServer.asked(server.calls)).toEqual(["start", first, status, first, second, last])
      expect(shown).toEqual([
        ["SessionStarted"],
        ["Resumed", 0],
        ["Acknowledged", 262_144],
        ["Acknowledged", 524_288],
        ["Finished"]
      ])
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

describe("ResumableUpload.stream", () => {
  it.effect("tells how the upload proceeds, and ends with its object", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, { keeps: 5 }, { status: 503 }, {}, {}, { loses: true })
      const { events, exit, shown } = yield* told(ResumableUpload.stream(server.client, options))
      expect(Exit.isSuccess(exit)).toBe(true)
      expect(shown).toEqual([
        ["SessionStarted"],
        ["Acknowledged", 5],
        ["Resumed", 5],
        ["Acknowledged", 262_149],
        ["SessionStarted"],
        ["Acknowledged", 262_144],
        ["Acknowledged", 524_288],
        ["Finished"]
      ])
      const done = yield* ResumableUpload.run(UploadServer.make().client, options)
      expect(events.at(-1)).toEqual({ _tag: "Finished", uploaded: done })
      expect(events[1]).toEqual({ _tag: "Acknowledged", offset: 5, total: bytes.length })
    }).pipe(world)
  )

  it.effect("tells no total before the end of a stream", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, {}, {}, { keeps: 1 })
      const source = ResumableUpload.fromStream(pieces(bytes))
      const { events } = yield* told(ResumableUpload.stream(server.client, { ...options, source }))
      expect(events.map((event) => ("total" in event ? event.total : "none"))).toEqual([
        "none",
        undefined,
        undefined,
        bytes.length,
        "none"
      ])
    }).pipe(world)
  )

  it.effect("fails when run does, after what it has told", () =>
    Effect.gen(function* () {
      const refusing = () => UploadServer.make({}, {}, { status: 403 }).client
      const { exit, shown } = yield* told(ResumableUpload.stream(refusing(), options))
      expect(shown).toEqual([["SessionStarted"], ["Acknowledged", quantum]])
      const run = yield* Effect.flip(ResumableUpload.run(refusing(), options))
      expect(Exit.mapError(exit, String)).toEqual(Exit.fail(String(run)))
    }).pipe(world)
  )

  it.effect("ends the upload with its reader", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, {}, { after: "1 minute" })
      yield* Stream.runDrain(Stream.take(ResumableUpload.stream(server.client, options), 2))
      expect(server.interrupted).toEqual([2])
      expect(server.objects).toEqual([])
    }).pipe(world)
  )
})

const session = (server: ReturnType<typeof UploadServer.make>) =>
  Effect.map(Stream.runHead(ResumableUpload.stream(server.client, options)), (event) =>
    Option.match(event, {
      onSome: (event) => (event._tag === "SessionStarted" ? event.session : Redacted.make("")),
      onNone: () => Redacted.make("")
    })
  )

interface Resuming {
  readonly of: string
  readonly source: ResumableUpload.Source
  readonly checksums?: ReadonlyArray<Checksum.Algorithm>
  readonly opened?: ReadonlyArray<number>
}

const opened: Array<number> = []
const fromOffset = ResumableUpload.fromOffset((offset) => {
  opened.push(offset)
  return pieces(bytes, offset)
})

const resumings: ReadonlyArray<Resuming> = [
  { of: "bytes", source: ResumableUpload.fromBytes(bytes) },
  { of: "bytes from every place", source: fromOffset, opened: [0] },
  { of: "bytes from every place, without checksums", source: fromOffset, checksums: [], opened: [300_000] },
  { of: "a stream that begins again", source: ResumableUpload.fromStream(pieces(bytes)) }
]

describe("ResumableUpload with resumeFrom", () => {
  it.effect.each(resumings)("goes on with $of", ({ checksums = ["crc32c"], opened: expected = [], source }) =>
    Effect.gen(function* () {
      opened.length = 0
      const server = UploadServer.make({}, { keeps: 300_000, status: 503, after: "1 second" })
      const keptSession = yield* session(server)
      const address = Array.from(server.sessions.values())[0]
      if (address !== undefined) address.bytes = bytes.slice(0, 300_000)
      const before = server.calls.length
      const resumed = { ...options, source, checksums, resumeFrom: keptSession }
      const { exit, shown } = yield* told(ResumableUpload.stream(server.client, resumed))
      expect(Exit.isSuccess(exit)).toBe(true)
      expect(shown).toEqual([["Resumed", 300_000], ["Acknowledged", 562_144], ["Finished"]])
      expect(UploadServer.asked(server.calls).slice(before)).toEqual([
        status,
        "bytes 300000-562143/*",
        "bytes 562144-655359/655360"
      ])
      expect(UploadServer.areSame(server.objects, [bytes])).toBe(true)
      expect(opened).toEqual(expected)
    }).pipe(world)
  )

  const resumed = (
    prepare: (of: { bytes: Uint8Array; isFinished: boolean }) => void,
    more: Partial<typeof options> = {},
    ...faults: ReadonlyArray<UploadServer.Fault>
  ) =>
    Effect.gen(function* () {
      const server = UploadServer.make({ after: 0 }, { after: "1 minute" }, ...faults)
      const resumeFrom = yield* session(server)
      for (const one of server.sessions.values()) prepare(one)
      const before = server.calls.length
      const ended = yield* Effect.match(ResumableUpload.run(server.client, { ...options, ...more, resumeFrom }), {
        onFailure: (error) => ({ error }),
        onSuccess: (uploaded) => ({ uploaded })
      })
      return { ended, asked: UploadServer.asked(server.calls).slice(before) }
    })

  it.effect("starts from the beginning when the server has nothing yet", () =>
    Effect.gen(function* () {
      const { asked, ended } = yield* resumed(() => undefined)
      expect(ended).toHaveProperty("uploaded")
      expect(asked).toEqual([status, first, second, last])
    }).pipe(world)
  )

  it.effect("finds an upload finished", () =>
    Effect.gen(function* () {
      const { asked, ended } = yield* resumed((session) => Object.assign(session, { bytes, isFinished: true }))
      expect(ended).toMatchObject({ uploaded: { size: bytes.length } })
      expect(asked).toEqual([status])
    }).pipe(world)
  )

  it.effect("refuses an upload that was finished with other bytes", () =>
    Effect.gen(function* () {
      const { ended } = yield* resumed((session) =>
        Object.assign(session, { bytes: bytes.subarray(1), isFinished: true })
      )
      expect(ended).toMatchObject({ error: { reason: { _tag: "DataLoss" } } })
    }).pipe(world)
  )

  it.effect("detects by the checksum that other bytes were sent before", () =>
    Effect.gen(function* () {
      const { ended } = yield* resumed((session) => Object.assign(session, { bytes: new Uint8Array(1000) }))
      expect(ended).toMatchObject({ error: { _tag: "ChecksumMismatch" } })
    }).pipe(world)
  )

  it.effect("refuses a server that has more bytes than a stream", () =>
    Effect.gen(function* () {
      const source = ResumableUpload.fromStream(pieces(bytes.subarray(0, 10)))
      const { asked, ended } = yield* resumed((session) => Object.assign(session, { bytes }), { source })
      expect(ended).toMatchObject({
        error: { reason: { _tag: "DataLoss", why: "the server has more bytes than the source" } }
      })
      expect(asked).toEqual([status])
    }).pipe(world)
  )

  it.effect("starts a new session in the place of one that is gone", () =>
    Effect.gen(function* () {
      const { asked, ended } = yield* resumed(() => undefined, {}, { loses: true })
      expect(ended).toHaveProperty("uploaded")
      expect(asked).toEqual([status, "start", first, second, last])
    }).pipe(world)
  )

  it.each([
    "",
    "not a URL",
    "ftp://storage.test/session",
    "https://a:b@storage.test/",
    // Requests to a session carry what the client signs them with.
    "https://other.test/session?upload_id=secret",
    "http://storage.test/session?upload_id=secret",
    "https://storage.test:8443/session?upload_id=secret"
  ])("refuses %j, without showing it", (address) => {
    const run = () =>
      ResumableUpload.run(UploadServer.make().client, { ...options, resumeFrom: Redacted.make(address) })
    expect(run).toThrow(
      'ResumableUpload.run: resumeFrom must be a session of an event SessionStarted, of the origin of the start, got "<redacted>"'
    )
  })
})

describe("interrupting ResumableUpload.run", () => {
  const slow = { after: "1 minute" } as const
  it.effect.each([
    ["the start", [slow], 0],
    ["a chunk", [{}, {}, slow], 2],
    ["a question", [{}, { status: 503 }, slow], 2],
    ["the last chunk", [{}, {}, {}, slow], 3],
    ["a new start", [{}, { loses: true }, slow], 2],
    ["the body of the start", [{ hangs: true }], undefined],
    ["the body of an answer", [{}, { hangs: true }], undefined],
    ["the body of the object", [{}, {}, {}, { hangs: true }], undefined],
    ["the body of a failure", [{}, { status: 503, hangs: true }], undefined],
    ["the wait for another attempt", [{}, ...forever({ status: 503 })], undefined]
  ] as const)("leaves no connection in %s", ([, faults, call]) =>
    Effect.gen(function* () {
      const server = UploadServer.make(...faults)
      const closed: Array<string> = []
      const source = ResumableUpload.fromStream(
        Stream.ensuring(
          pieces(bytes),
          Effect.sync(() => closed.push("closed"))
        )
      )
      const endless = { ...policy, maxAttempts: Infinity }
      const fiber = yield* Effect.fork(ResumableUpload.run(server.client, { ...options, source, policy: endless }))
      yield* Effect.sleep("20 seconds")
      const exit = yield* Fiber.interrupt(fiber)
      const before = server.calls.length
      yield* Effect.sleep("5 minutes")
      expect(Exit.isInterrupted(exit)).toBe(true)
      expect(server.interrupted).toEqual(call === undefined ? [] : [call])
      expect(server.open.size).toBe(0)
      expect(closed).toEqual(server.calls.length === 1 ? [] : ["closed"])
      expect(server.calls).toHaveLength(before)
    }).pipe(world)
  )

  it.effect("closes a source that it waits for", () =>
    Effect.gen(function* () {
      const closed: Array<string> = []
      const source = ResumableUpload.fromStream(
        Stream.ensuring(
          Stream.concat(pieces(bytes.subarray(0, 300_000)), Stream.never),
          Effect.sync(() => closed.push("closed"))
        )
      )
      const fiber = yield* Effect.fork(ResumableUpload.run(UploadServer.make().client, { ...options, source }))
      yield* Effect.sleep("20 seconds")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      expect(closed).toEqual(["closed"])
    }).pipe(world)
  )

  it.effect("does not wait for a body without end", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, {}, {}, { hangs: true })
      yield* ResumableUpload.run(server.client, options)
      expect(server.calls.map(({ asked, atMillis }) => [asked, atMillis]).slice(3)).toEqual([
        [last, 0],
        [status, 31_000]
      ])
      expect(server.open.size).toBe(0)
    }).pipe(world)
  )
})

describe("options of ResumableUpload", () => {
  const { client } = UploadServer.make()
  it.each([
    ["chunkBytes", { chunkBytes: 0 }],
    ["chunkBytes", { chunkBytes: quantum + 1 }],
    ["chunkBytes", { chunkBytes: Infinity }],
    ["chunkBytes", { chunkBytes: quantum / 2 }],
    ["checksums", { checksums: ["sha1"] }],
    ["checksums", { checksums: "crc32c" }],
    ["source", { source: bytes }],
    ["source", { source: undefined }],
    ["start", { start: "https://storage.test" }],
    ["resumeFrom", { resumeFrom: "https://storage.test/session" }],
    ["maxAttempts", { policy: { maxAttempts: 0 } }],
    ["retries", { policy: { retries: 3 } }],
    ["policy", { policy: null }],
    ["policy", { policy: NaN }],
    ["policy", { policy: [] }],
    ["policy", { policy: () => policy }],
    ["chunkByte", { chunkByte: quantum }]
  ] as const)("refuse a %s of %j", (field, wrong) => {
    const given = { ...options, ...wrong } as unknown as typeof options
    expect(() => ResumableUpload.run(client, given)).toThrow(`ResumableUpload.run: ${field} must be`)
    expect(() => ResumableUpload.stream(client, given)).toThrow(`ResumableUpload.stream: ${field} must be`)
  })

  it.each([null, undefined, NaN, "client", {}, () => client])("refuse a client of %j", (none) => {
    const given = none as never
    const refused = "client must be made by HttpClient.make or HttpClient.makeWith"
    expect(() => ResumableUpload.run(given, options)).toThrow(`ResumableUpload.run: ${refused}`)
    expect(() => ResumableUpload.run(options)(given)).toThrow(`ResumableUpload.run: ${refused}`)
    expect(() => ResumableUpload.stream(given, options)).toThrow(`ResumableUpload.stream: ${refused}`)
  })

  it.each([
    ["options", -1],
    ["options", null],
    ["options", []],
    ["options", () => 5],
    ["sise", { sise: 5 }],
    ["size", { size: 1.5 }]
  ])("refuse %s of a source: %j", (field, wrong) => {
    const given = wrong as never
    const ofOffset = () => ResumableUpload.fromOffset(() => Stream.empty, given)
    expect(ofOffset).toThrow(`ResumableUpload.fromOffset: ${field} must be`)
    expect(() => ResumableUpload.fromStream(Stream.empty, given)).toThrow(
      `ResumableUpload.fromStream: ${field} must be`
    )
  })

  it("refuse a source that is not one", () => {
    const none = "none" as never
    expect(() => ResumableUpload.fromBytes(none)).toThrow("ResumableUpload.fromBytes: bytes must be")
    expect(() => ResumableUpload.fromOffset(none)).toThrow("ResumableUpload.fromOffset: open must be")
    expect(() => ResumableUpload.fromStream(none)).toThrow("ResumableUpload.fromStream: stream must be")
    expect(() => ResumableUpload.fromStream(Stream.empty, { size: -1 })).toThrow(
      "ResumableUpload.fromStream: size must be"
    )
  })

  it.effect("take a pipe", () =>
    Effect.gen(function* () {
      const [one, other] = [UploadServer.make(), UploadServer.make()]
      yield* one.client.pipe(ResumableUpload.run(options))
      yield* Stream.runDrain(other.client.pipe(ResumableUpload.stream(options)))
      expect([one.objects.length, other.objects.length]).toEqual([1, 1])
    }).pipe(world)
  )
})
