import { HttpClientRequest } from "@effect/platform"
import { Verdict } from "@effect-retry/core"
import { ResumableUpload, StorageIdempotency } from "@effect-retry/google"
import { HttpClassifier, Idempotency } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Uploads from "../../support/Uploads.ts"
import * as UploadServer from "../../support/UploadServer.ts"

const { bytes, first, forever, last, options, pieces, policy, second, start, status, unconditional, world } = Uploads

interface Failing {
  readonly of: string
  readonly faults: ReadonlyArray<UploadServer.Fault>
  readonly fails: object
  readonly asked: ReadonlyArray<string>
}

const failed = (_tag: ResumableUpload.Reason["_tag"]) => ({ _tag: "UploadFailed", reason: { _tag } })
const refused = (status: number) => ({ _tag: "ResponseError", reason: "StatusCode", response: { status } })
const range = (range: string | undefined): UploadServer.Fault => ({ headers: { range } })

const failing: ReadonlyArray<Failing> = [
  {
    of: "answers that acknowledge nothing, without end",
    faults: [{}, ...forever(range(undefined))],
    fails: failed("NoProgress"),
    asked: ["start", first, first, first]
  },
  {
    of: "answers that acknowledge the same part, without end",
    faults: [{}, {}, ...forever(range("bytes=0-262143"))],
    fails: failed("NoProgress"),
    asked: ["start", first, second, second, second]
  },
  {
    of: "failures between answers that acknowledge the same part",
    faults: [{}, {}, ...forever({ status: 503 })].map((fault, call) =>
      call % 2 === 1 ? range("bytes=0-262143") : fault
    ),
    fails: refused(503),
    asked: ["start", first, second, status, second, status, second]
  },
  {
    of: "more than was sent",
    faults: [{}, range("bytes=0-262144")],
    fails: failed("DataLoss"),
    asked: ["start", first]
  },
  {
    of: "a huge offset",
    faults: [{}, range("bytes=0-999999999999999")],
    fails: failed("DataLoss"),
    asked: ["start", first]
  },
  {
    of: "an offset beyond every number",
    faults: [{}, range(`bytes=0-${"9".repeat(400)}`)],
    fails: failed("Invalid"),
    asked: ["start", first]
  },
  {
    of: "a huge offset after a failure",
    faults: [{}, { status: 503 }, range("bytes=0-999999999999999")],
    fails: failed("DataLoss"),
    asked: ["start", first, status]
  },
  {
    of: "a Range of another form",
    faults: [{}, range("bytes=5-262143")],
    fails: failed("Invalid"),
    asked: ["start", first]
  },
  {
    of: "an upload that another client has finished",
    faults: [{}, {}, { headers: { "x-http-status-code-override": undefined }, body: '{"size":"524288"}' }],
    fails: failed("Invalid"),
    asked: ["start", first, second]
  },
  {
    of: "an object of another size",
    faults: [{}, {}, {}, { body: '{"size":"655359"}' }],
    fails: failed("DataLoss"),
    asked: ["start", first, second, last]
  },
  {
    of: "an object without a size",
    faults: [{}, {}, {}, { body: '{"name":"cat"}' }],
    fails: failed("Invalid"),
    asked: ["start", first, second, last]
  },
  {
    of: "an object with another checksum",
    faults: [{}, {}, {}, { body: '{"size":"655360","generation":"5","crc32c":"AAAAAA=="}' }],
    fails: { _tag: "ChecksumMismatch", algorithm: "crc32c", expected: "AAAAAA==", generation: "5" },
    asked: ["start", first, second, last]
  },
  {
    of: "last answers that break, without end",
    faults: [{}, {}, ...forever({ breaksAfter: 1, body: "{}" })],
    fails: failed("AnswerLost"),
    asked: ["start", first, second, status, status]
  },
  {
    of: "a text about an offset",
    faults: [
      {},
      {
        status: 503,
        headers: { "content-type": "text/plain" },
        body: "According to the Content-Range header, the upload offset is 5 byte(s), which exceeds already uploaded size"
      }
    ],
    fails: failed("DataLoss"),
    asked: ["start", first]
  },
  {
    of: "failures without end",
    faults: [{}, {}, ...forever({ status: 503 })],
    fails: refused(503),
    asked: ["start", first, second, status, status]
  },
  {
    of: "resets without end",
    faults: [{}, {}, ...forever({ reset: "before" })],
    fails: { _tag: "RequestError", reason: "Transport", cause: { code: UploadServer.reset.code } },
    asked: ["start", first, second, status, status]
  },
  ...[400, 401, 403, 412, 499].map((code): Failing => ({
    of: `status ${code}`,
    faults: [{}, { status: code }],
    fails: refused(code),
    asked: ["start", first]
  })),
  { of: "a status of none", faults: [{}, { status: 302 }], fails: failed("Invalid"), asked: ["start", first] },
  { of: "a refused start", faults: [{ status: 403 }], fails: refused(403), asked: ["start"] },
  {
    of: "starts that fail without end",
    faults: forever({ status: 503 }),
    fails: refused(503),
    asked: ["start", "start", "start"]
  },
  ...[
    undefined,
    "",
    "https://",
    "javascript:alert(1)",
    "https://other.test/session",
    "http://storage.test/session",
    "https://user:pw@storage.test/session",
    `/${"x".repeat(8192)}`
  ].map((location): Failing => ({
    of: `a session at ${location?.slice(0, 40)}`,
    faults: [{ headers: { location } }],
    fails: failed("Invalid"),
    asked: ["start"]
  })),
  {
    of: "sessions that are lost without end",
    faults: [{}, ...forever({ loses: true })],
    fails: failed("NotRestartable"),
    asked: ["start", first, "start", first, "start", first]
  },
  {
    of: "sessions that are lost behind the same byte without end",
    faults: Array.from({ length: 60 }, (_, call) => (call % 3 === 2 ? { loses: true } : {})),
    fails: failed("NotRestartable"),
    asked: ["start", first, second, "start", first, second, "start", first, second]
  }
]

describe("a resumable upload", () => {
  it.effect.each(failing)("ends with $of", ({ asked, fails, faults }) =>
    Effect.gen(function* () {
      const server = UploadServer.make(...faults)
      const error = yield* Effect.flip(ResumableUpload.run(server.client, options))
      expect(error).toMatchObject(fails)
      expect(UploadServer.asked(server.calls)).toEqual(asked)
      expect(server.open.size).toBe(0)
    }).pipe(world)
  )

  const lost = [{}, {}, { loses: true }]

  it.effect("replaces no session whose start may not be repeated", () =>
    Effect.gen(function* () {
      const server = UploadServer.make(...lost)
      const error = yield* Effect.flip(ResumableUpload.run(server.client, { ...options, start: unconditional }))
      expect(error).toMatchObject(failed("NotRestartable"))
      expect(String(error)).toContain(
        "the upload stopped after 262144 bytes: status 404: resumable.session.create without ifGenerationMatch"
      )
      expect(UploadServer.asked(server.calls)).toEqual(["start", first, second])
    }).pipe(world)
  )

  it.effect("repeats no start without its precondition, and every request to the session", () =>
    Effect.gen(function* () {
      const [refusing, failing] = [UploadServer.make({ status: 503 }), UploadServer.make({}, { status: 503 })]
      const unsafe = { ...options, start: unconditional }
      expect(yield* Effect.flip(ResumableUpload.run(refusing.client, unsafe))).toMatchObject(refused(503))
      yield* ResumableUpload.run(failing.client, unsafe)
      expect(refusing.calls).toHaveLength(1)
      expect(UploadServer.asked(failing.calls)).toEqual(["start", first, status, first, second, last])
    }).pipe(world)
  )

  it.effect.each([
    ["the strategy always", { ...policy, idempotency: StorageIdempotency.always }, undefined],
    ["the caller's word", policy, "it may be written twice"]
  ] as const)("replaces a lost session by %s", ([, policy, because]) =>
    Effect.gen(function* () {
      const server = UploadServer.make({ status: 503 }, ...lost)
      const upload = ResumableUpload.run(server.client, { ...options, policy, start: unconditional })
      yield* because === undefined ? upload : Idempotency.declared(upload, because)
      expect(server.objects).toHaveLength(1)
    }).pipe(world)
  )

  it.effect("repeats requests to a session of the XML API", () =>
    Effect.gen(function* () {
      const signed = HttpClientRequest.post(`${UploadServer.origin}/photos/cat?X-Goog-Signature=abc`, {
        headers: { "x-goog-resumable": "start" }
      })
      const stored = { body: "", headers: { "x-goog-stored-content-length": "655360" } }
      const server = UploadServer.make({}, { status: 503 }, {}, {}, {}, stored)
      const uploaded = yield* ResumableUpload.run(server.client, { ...options, start: signed })
      expect(uploaded).toEqual({ size: 655_360, generation: undefined, resource: {}, verified: [] })
      expect(UploadServer.asked(server.calls)).toEqual(["start", first, status, first, second, last])
    }).pipe(world)
  )

  it.effect("repeats nothing under the strategy never", () =>
    Effect.gen(function* () {
      const never = { ...policy, idempotency: StorageIdempotency.never }
      const server = UploadServer.make({}, { status: 503 })
      const error = yield* Effect.flip(ResumableUpload.run(server.client, { ...options, policy: never }))
      expect(error).toMatchObject(refused(503))
      expect(UploadServer.asked(server.calls)).toEqual(["start", first])
    }).pipe(world)
  )

  it.effect("fails when a stream cannot give the bytes of a lost session again", () =>
    Effect.gen(function* () {
      const server = UploadServer.make(...lost)
      const source = ResumableUpload.fromStream(pieces(bytes))
      const error = yield* Effect.flip(ResumableUpload.run(server.client, { ...options, source, start }))
      expect(error).toMatchObject(failed("NotRewindable"))
      expect(server.objects).toEqual([])
    }).pipe(world)
  )

  it.effect("lets the caller's opinion judge all other failures", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, { status: 403 })
      const opinion = (outcome: unknown) =>
        HttpClassifier.responseOf(outcome)?.status === 403 ? Verdict.transient : Verdict.noOpinion
      yield* ResumableUpload.run(server.client, { ...options, policy: { ...policy, opinion } })
      expect(UploadServer.asked(server.calls)).toEqual(["start", first, status, first, second, last])
    }).pipe(world)
  )
})
