import { HttpClient, HttpClientError, HttpClientRequest } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, TokenBucket, Verdict } from "@effect-retry/core"
import { Download, HttpClassifier, HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Chunk, Duration, Effect, Exit, FastCheck as fc, Fiber, Option, Stream } from "effect"
import * as RangeServer from "../support/RangeServer.ts"
import * as Scripted from "../support/ScriptedClient.ts"
import { collected } from "./Stories.ts"

const { content } = RangeServer
const { world } = Scripted

const url = "http://files.test/file"
const get = HttpClientRequest.get(url)
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }), maxAttempts: 5 }
const file: RangeServer.File = { length: 20, validator: "tag" }

const bytesOf = (chunks: ReadonlyArray<Uint8Array>): Uint8Array =>
  Uint8Array.from(chunks.flatMap((bytes) => [...bytes]))

const downloaded = (
  of: RangeServer.File,
  steps: ReadonlyArray<RangeServer.Step>,
  request: HttpClientRequest.HttpClientRequest = get
) => {
  const { calls, client } = RangeServer.make(of, steps)
  return Effect.map(collected(Download.stream(HttpRetry.withRetry(client, policy), request)), (result) => ({
    ...result,
    calls,
    asked: calls.map(({ request: { headers } }) => [headers["range"], headers["if-match"], headers["if-range"]])
  }))
}

const none = [undefined, undefined, undefined]

describe("Download.stream", () => {
  it.effect.each([
    ["the date of the first answer", "tag and date", {}, undefined],
    ["another date", "tag and date", { "last-modified": "Sun, 22 Nov 2026 11:00:01 GMT" }, "OtherVersion"],
    ["no date", "tag and date", { "last-modified": undefined }, "WrongPart"],
    ["the date, and another length", "tag and date", { "content-range": "bytes 7-19/21" }, "OtherVersion"]
  ] as const)("judges a part without a tag by what it says: %s", ([, validator, headers, tag]) =>
    Effect.gen(function* () {
      const steps = [{ breaksAfter: 7 }, { headers: { etag: undefined, ...headers } }]
      const { bytes, error } = yield* downloaded({ ...file, validator }, steps)
      expect(bytes).toEqual(content(file, 0).subarray(0, tag === undefined ? 20 : 7))
      if (tag === undefined) expect(error).toBe(undefined)
      else expect(error).toMatchObject({ _tag: "DownloadFailed", reason: { _tag: tag } })
    }).pipe(world)
  )

  it.effect.each(["nowhere", "above", "below"] as const)(
    "is done when the body broke behind its last byte, and no length said so, with filterStatusOk %s",
    (place) =>
      Effect.gen(function* () {
        const { calls, client } = RangeServer.make({ ...file, announcesLength: false }, [{ breaksAfter: 20 }])
        const retried = HttpRetry.withRetry(place === "below" ? HttpClient.filterStatusOk(client) : client, policy)
        const filtered = place === "above" ? HttpClient.filterStatusOk(retried) : retried
        const { bytes, error } = yield* collected(Download.stream(filtered, get))
        expect([bytes, error, Scripted.sent(calls, "range")]).toEqual([
          content(file, 0),
          undefined,
          [undefined, "bytes=20-"]
        ])
        expect(calls.every(({ signal }) => signal.aborted)).toBe(true)
      }).pipe(world)
  )

  it.effect("asks with the date when there is no tag", () =>
    Effect.gen(function* () {
      const dated = { ...file, validator: "date" } as const
      const { asked, bytes, error } = yield* downloaded(dated, [
        { breaksAfter: 7 },
        { breaksAfter: 7, headers: { "last-modified": undefined } }
      ])
      expect([bytes, error]).toEqual([content(dated, 0), undefined])
      const date = "Sun, 22 Nov 2026 11:00:00 GMT"
      expect(asked).toEqual([none, ["bytes=7-", undefined, date], ["bytes=14-", undefined, date]])
    }).pipe(world)
  )

  it.effect("starts over as long as nothing was received, also with another version", () =>
    Effect.gen(function* () {
      for (const validator of ["none", "tag"] as const) {
        const steps = [{ breaksAfter: 0 }, { unreachable: true }, { version: 1 }]
        const { asked, bytes, error } = yield* downloaded({ ...file, validator }, steps)
        expect([bytes, error, asked]).toEqual([content(file, 1), undefined, [none, none, none]])
      }
    }).pipe(world)
  )

  it.effect.each([
    ["a length that was announced", {}, [{ endsAfter: 12 }, {}]],
    ["a part that is shorter than asked for", {}, [{ breaksAfter: 5 }, { atMost: 10 }, {}]],
    ["no length until the first part", { announcesLength: false }, [{ breaksAfter: 5 }, {}]],
    ["a break behind the last byte", {}, [{ breaksAfter: 20 }]],
    ["a server that says nothing of ranges", {}, [{ breaksAfter: 5, headers: { "accept-ranges": undefined } }, {}]],
    ["a list of range units", {}, [{ breaksAfter: 5, headers: { "accept-ranges": "bytes, lines" } }, {}]],
    ["chunked encoding", {}, [{ breaksAfter: 5, headers: { "transfer-encoding": "chunked" } }, {}]],
    ["the coding identity", {}, [{ breaksAfter: 5, headers: { "content-encoding": "identity" } }, {}]]
  ] as const)("gives all bytes, once, with %s", ([, of, steps]) =>
    Effect.gen(function* () {
      const { bytes, calls, error } = yield* downloaded({ ...file, ...of }, steps)
      expect([bytes, error, calls.length]).toEqual([content(file, 0), undefined, steps.length])
    }).pipe(world)
  )

  it.effect.each([
    ["no validator", { validator: "none" }, {}, "the first answer has no strong validator"],
    ["a date of the same second", { validator: "fresh date" }, {}, "the first answer has no strong validator"],
    ["a date beside a weak tag", { validator: "date" }, { etag: 'W/"a"' }, "the first answer has no strong validator"],
    ["Accept-Ranges: none", {}, { "accept-ranges": "none" }, "the server accepts no ranges of bytes"],
    ["a content coding", {}, { "content-encoding": "gzip" }, "a content coding"],
    ["a transfer coding", {}, { "transfer-encoding": "gzip, chunked" }, "a transfer coding"],
    ["two tags", {}, { etag: '"a", "b"' }, "the first answer has no strong validator"]
  ] as const)("does not go on after %s", ([, of, headers, why]) =>
    Effect.gen(function* () {
      const { bytes, calls, error } = yield* downloaded({ ...file, ...of }, [{ breaksAfter: 7, headers }])
      expect(bytes).toEqual(content(file, 0).subarray(0, 7))
      expect(error).toMatchObject({
        _tag: "DownloadFailed",
        reason: { _tag: "NotResumable", why },
        received: 7,
        error: { _tag: "ResponseError" }
      })
      expect([String(error), calls.length]).toEqual([expect.stringContaining(`after 7 bytes: ${why}`), 1])
    }).pipe(world)
  )

  it.effect.each([
    ["the whole of another version", { version: 1, ignores: "range" }, "OtherVersion"],
    ["a part that names no version", { headers: { etag: undefined } }, "WrongPart"],
    ["a part of a whole of another length", { headers: { "content-range": "bytes 7-19/21" } }, "OtherVersion"],
    ["the whole again", { ignores: "range" }, "RangeRefused"],
    ["416", { status: 416 }, "RangeRefused"],
    ["204", { status: 204 }, "RangeRefused"],
    ["several parts", { headers: { "content-type": "multipart/byteranges; boundary=x" } }, "WrongPart"],
    ["a coded part", { headers: { "content-encoding": "gzip" } }, "WrongPart"],
    ["no Content-Range", { headers: { "content-range": undefined } }, "WrongPart"],
    ["a Content-Range of another unit", { headers: { "content-range": "lines 7-19/20" } }, "WrongPart"],
    ["a part that begins earlier", { headers: { "content-range": "bytes 6-19/20" } }, "WrongPart"],
    ["a part that begins later", { headers: { "content-range": "bytes 8-19/20" } }, "WrongPart"],
    ["a part that ends before it begins", { headers: { "content-range": "bytes 7-6/20" } }, "WrongPart"],
    ["a part beyond the whole", { headers: { "content-range": "bytes 7-20/20" } }, "WrongPart"],
    ["digits without end", { headers: { "content-range": `bytes 7-19/${"9".repeat(400)}` } }, "WrongPart"]
  ] as const)("emits nothing of %s, and says so", ([, step, reason]) =>
    Effect.gen(function* () {
      const { bytes, calls, error } = yield* downloaded(file, [{ breaksAfter: 7 }, step])
      expect(bytes).toEqual(content(file, 0).subarray(0, 7))
      expect(error).toMatchObject({ _tag: "DownloadFailed", reason: { _tag: reason }, received: 7 })
      expect(error?.cause).toBe(undefined)
      // The answer that is refused is cancelled: it holds no connection.
      expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
    }).pipe(world)
  )

  it.effect("emits only as much of a too long body as was announced, and says so", () =>
    Effect.gen(function* () {
      for (const steps of [[{ excess: 5 }], [{ breaksAfter: 7 }, { excess: 5 }]]) {
        const { bytes, error } = yield* downloaded(file, steps)
        expect(bytes).toEqual(content(file, 0))
        expect(error).toMatchObject({ reason: { _tag: "WrongPart" }, received: 20 })
      }
    }).pipe(world)
  )

  it.effect("leaves it to the client when a body that cannot be resumed ends", () =>
    Effect.gen(function* () {
      const { bytes, error } = yield* downloaded({ ...file, validator: "none" }, [{ excess: 5 }])
      expect([bytes.length, error]).toEqual([25, undefined])
    }).pipe(world)
  )

  it.effect("fails with the client's own errors when attempts are spent", () =>
    Effect.gen(function* () {
      const breaking = yield* downloaded(
        file,
        Array.from({ length: 5 }, () => ({ breaksAfter: 2 }))
      )
      expect([breaking.bytes, breaking.calls.length]).toEqual([content(file, 0).subarray(0, 10), 5])
      expect(breaking.error).toMatchObject({ _tag: "ResponseError", reason: "Decode" })
      const refusing = yield* downloaded(file, [
        { breaksAfter: 2 },
        ...Array.from({ length: 4 }, () => ({ status: 503 }))
      ])
      expect(refusing.error).toMatchObject({ _tag: "ResponseError", reason: "StatusCode", response: { status: 503 } })
      const missing = yield* downloaded(file, [{ status: 404 }])
      expect(missing.error).toMatchObject({ reason: "StatusCode", response: { status: 404 } })
    }).pipe(world)
  )

  it.effect.each([199, 300, 412, 416])(
    "fails with a first answer outside of 2xx, and emits nothing of it: %s",
    (status) =>
      Effect.gen(function* () {
        const { client } = Scripted.make({ status: 200, body: "no" })
        const answering = HttpClient.transformResponse(
          client,
          Effect.map((response) => Object.defineProperty(response, "status", { value: status }))
        )
        const { bytes, error } = yield* collected(Download.stream(HttpRetry.withRetry(answering, policy), get))
        expect([bytes.length, error]).toMatchObject([0, { _tag: "ResponseError", reason: "StatusCode" }])
      }).pipe(world)
  )

  it.effect("emits no empty pieces, and no piece behind the last byte", () =>
    Effect.gen(function* () {
      const { client } = Scripted.make({ status: 200, headers: { etag: '"v0"', "content-length": "5" }, body: "whole" })
      const pieces = Chunk.make(new Uint8Array(0), new Uint8Array(3), new Uint8Array(4), new Uint8Array(9))
      const inPieces = HttpClient.transformResponse(
        client,
        Effect.map((response) => Object.defineProperty(response, "stream", { value: Stream.fromChunk(pieces) }))
      )
      const lengths: Array<number> = []
      const given = Stream.tap(Download.stream(inPieces, get), ({ length }) => Effect.sync(() => lengths.push(length)))
      const { error } = yield* collected(given)
      expect([lengths, error]).toMatchObject([[3, 2], { reason: { _tag: "WrongPart" }, received: 5 }])
    }).pipe(world)
  )

  it.effect("emits what a combinator answers in place of an empty body", () =>
    Effect.gen(function* () {
      const empty = Scripted.make({ status: 200, headers: { etag: '"v0"', "content-length": "0" } })
      const other = Scripted.make({ status: 200, body: "other" })
      const replaced = HttpClient.transformResponse(
        HttpRetry.withRetry(empty.client, policy),
        Effect.zipRight(other.client.get(url))
      )
      expect(yield* collected(Download.stream(replaced, get))).toEqual({
        bytes: new TextEncoder().encode("other"),
        error: undefined
      })
    }).pipe(world)
  )

  it.effect("emits an empty body, and that of a status without a body", () =>
    Effect.gen(function* () {
      for (const [of, steps] of [
        [{ ...file, length: 0 }, [{}]],
        [file, [{ status: 204 }]]
      ] as const) {
        const { bytes, error } = yield* downloaded(of, steps)
        expect([bytes.length, error]).toEqual([0, undefined])
      }
    }).pipe(world)
  )

  it.effect("resumes no request except GET", () =>
    Effect.gen(function* () {
      const query = HttpClientRequest.make("QUERY" as "GET")(url)
      const { bytes, error } = yield* downloaded(file, [{ breaksAfter: 7 }], query)
      expect(bytes).toHaveLength(7)
      expect(error).toMatchObject({ reason: { _tag: "NotResumable", why: "QUERY has no ranges" } })
      const post = yield* downloaded(file, [{ breaksAfter: 0 }], HttpClientRequest.post(url))
      expect([post.error, post.calls.length]).toMatchObject([{ reason: "Decode" }, 1])
    }).pipe(world)
  )

  it.effect("keeps an Accept-Encoding of the caller's", () =>
    Effect.gen(function* () {
      const { calls } = yield* downloaded(file, [{}], HttpClientRequest.setHeader(get, "accept-encoding", "br"))
      expect(Scripted.sent(calls, "accept-encoding")).toEqual(["br"])
    }).pipe(world)
  )
})

describe("Download.stream with a range of the caller's", () => {
  const ranged = (range: string) => HttpClientRequest.setHeader(get, "range", range)

  it.effect.each([
    { range: "bytes=4-11", from: 4, to: 12, rest: "bytes=7-11" },
    { range: "bytes=4-", from: 4, to: 20, rest: "bytes=7-" },
    { range: "bytes=4-99", from: 4, to: 20, rest: "bytes=7-19" }
  ])("resumes inside of it: $range", ({ from, range, rest, to }) =>
    Effect.gen(function* () {
      const { asked, bytes, error } = yield* downloaded(file, [{ breaksAfter: 3 }, {}], ranged(range))
      expect([bytes, error]).toEqual([content(file, 0).subarray(from, to), undefined])
      expect(asked.map(([range]) => range)).toEqual([range, rest])
    }).pipe(world)
  )

  it.effect("resumes inside of the last bytes", () =>
    Effect.gen(function* () {
      const headers = { "content-range": "bytes 15-19/20" }
      const { client } = RangeServer.make(file, [{ status: 206, headers, breaksAfter: 2 }, {}])
      const { bytes, error } = yield* collected(
        Download.stream(HttpRetry.withRetry(client, policy), ranged("bytes=-5"))
      )
      expect([bytes.subarray(2), error]).toEqual([content(file, 0).subarray(17), undefined])
    }).pipe(world)
  )

  it.effect("emits only as much of a too long part as was announced, even if it cannot be resumed", () =>
    Effect.gen(function* () {
      const of = { ...file, validator: "none" } as const
      const { bytes, error } = yield* downloaded(of, [{ excess: 5 }], ranged("bytes=4-11"))
      expect([bytes, error]).toMatchObject([content(file, 0).subarray(4, 12), { reason: { _tag: "WrongPart" } }])
    }).pipe(world)
  )

  it.effect.each([
    ["the whole", { ignores: "range" }, "RangeRefused"],
    ["another part", { headers: { "content-range": "bytes 5-11/20" } }, "WrongPart"],
    ["a part that is longer", { headers: { "content-range": "bytes 4-12/20" } }, "WrongPart"]
  ] as const)("refuses %s for it", ([, step, reason]) =>
    Effect.gen(function* () {
      const { bytes, error } = yield* downloaded(file, [step], ranged("bytes=4-11"))
      expect([bytes.length, error]).toMatchObject([0, { reason: { _tag: reason } }])
    }).pipe(world)
  )

  it.each(["bytes=0-1,4-5", "lines=0-5", "bytes=5-4", "bytes=", "bytes=-", "0-5", "bytes=0x1-5"])(
    "refuses one that cannot be resumed: %s",
    (range) => {
      const { client } = RangeServer.make(file, [])
      expect(() => Download.stream(client, ranged(range))).toThrow(
        "Download.stream: request.headers.range must be one range of bytes"
      )
    }
  )

  it.effect("refuses one that the client adds, too", () =>
    Effect.gen(function* () {
      const { calls, client } = RangeServer.make(file, [])
      const adding = client.pipe(
        HttpRetry.withRetry(policy),
        HttpClient.mapRequest(HttpClientRequest.setHeader("range", "bytes=0-1,4-5"))
      )
      const exit = yield* Effect.exit(Stream.runDrain(Download.stream(adding, get)))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ field: "request.headers.range" })
      expect(calls.length).toBe(0)
    }).pipe(world)
  )

  it("refuses a condition on it, and invalid validators", () => {
    const { client } = RangeServer.make(file, [])
    const conditional = HttpClientRequest.setHeader(ranged("bytes=4-"), "if-range", '"v0"')
    expect(() => Download.stream(client, conditional)).toThrow("request.headers.if-range must be absent")
    const validators = [Download.entityTag, "etag"] as unknown as ReadonlyArray<Download.Validator>
    expect(() => Download.stream(client, get, { validators })).toThrow(
      "Download.stream: validators must be an array of validators"
    )
    expect(() => Download.stream(client, get, null as never)).toThrow(
      "Download.stream: options must be a record of options"
    )
  })
})

describe("Download.stream as an operation", () => {
  it.effect("shares attempts, delays, bucket, headers and observers", () =>
    Effect.gen(function* () {
      const { calls, client } = RangeServer.make(file, [{ breaksAfter: 5 }, { status: 503 }, { breaksAfter: 5 }, {}])
      const { events, observe, reasons } = Scripted.gaveUp()
      const bucket = yield* TokenBucket.quota({ capacity: 28 })
      const retried = HttpRetry.withRetry(client, {
        ...policy,
        bucket,
        observe,
        attemptHeaders: HttpRetry.attemptNumber()
      })
      const { bytes } = yield* collected(Download.stream(retried, get))
      expect([bytes.length, reasons]).toEqual([10, [{ _tag: "BucketEmpty" }]])
      expect(Scripted.sent(calls, "x-retry-attempt")).toEqual(["1", "2", "3"])
      expect(events.map(({ _tag }) => _tag)).toEqual([
        "AttemptFailed",
        "RetryScheduled",
        "AttemptFailed",
        "RetryScheduled",
        "AttemptFailed",
        "GaveUp"
      ])
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(2000)
    }).pipe(world)
  )

  it.effect("resumes after an attempt that ran into its timeout", () =>
    Effect.gen(function* () {
      const { calls, client } = RangeServer.make(file, [])
      const slow = HttpRetry.withRetry(client, { ...policy, attemptTimeout: AttemptTimeout.constant("10 seconds") })
      // Three bytes at a time.
      const paced = Stream.tap(Download.stream(slow, get), () => Effect.sleep("4 seconds"))
      expect(yield* collected(paced)).toEqual({ bytes: content(file, 0), error: undefined })
      expect(Scripted.sent(calls, "range")).toEqual([undefined, "bytes=12-"])
    }).pipe(world)
  )

  it.effect("is whole when nothing but the end of the body was missed", () =>
    Effect.gen(function* () {
      const bytes = content(file, 0)
      const headers = { etag: '"v0"', "content-length": "20" }
      const stalling = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes) })
      const { client } = Scripted.make({ status: 200, headers, body: stalling }, { status: 416 })
      const slow = HttpRetry.withRetry(client, { ...policy, attemptTimeout: AttemptTimeout.constant("10 seconds") })
      expect(yield* collected(Download.stream(slow, get))).toEqual({ bytes, error: undefined })
    }).pipe(world)
  )

  it.effect("does not wait for the reader of the stream behind the last byte", () =>
    Effect.gen(function* () {
      const { calls, client } = RangeServer.make({ ...file, length: 6 }, [])
      const slow = HttpRetry.withRetry(client, { ...policy, attemptTimeout: AttemptTimeout.constant("10 seconds") })
      const paced = Stream.tap(Download.stream(slow, get), () => Effect.sleep("12 seconds"))
      expect((yield* collected(paced)).bytes).toHaveLength(6)
      expect(calls).toHaveLength(1)
    }).pipe(world)
  )

  it.effect("is never put together from two readings at once", () =>
    Effect.gen(function* () {
      const { client } = RangeServer.make(file, [])
      const doubled = HttpClient.transformResponse(HttpRetry.withRetry(client, policy), (sent) =>
        Effect.map(Effect.all([sent, sent], { concurrency: "unbounded" }), ([, second]) => second)
      )
      const chunks: Array<Uint8Array> = []
      const reading = Stream.runForEach(Download.stream(doubled, get), (bytes) =>
        Effect.sync(() => void chunks.push(bytes))
      )
      expect(Exit.isFailure(yield* Effect.exit(reading))).toBe(true)
      const bytes = bytesOf(chunks)
      expect(bytes).toEqual(content(file, 0).subarray(0, bytes.length))
    }).pipe(world)
  )

  it.effect("goes on with no other bytes when an opinion calls its own failure retryable", () =>
    Effect.gen(function* () {
      const { client } = RangeServer.make({ ...file, validator: "none" }, [{ breaksAfter: 7 }])
      const opinion = (outcome: unknown) => (HttpClassifier.isResponse(outcome) ? Verdict.noOpinion : Verdict.transient)
      const stubborn = HttpRetry.withRetry(client, { ...policy, opinion })
      const { bytes, error } = yield* collected(Download.stream(stubborn, get))
      expect(bytes).toEqual(content(file, 0).subarray(0, 7))
      expect(error).toMatchObject({ reason: { _tag: "NotResumable" } })
    }).pipe(world)
  )

  it.effect("emits nothing of a HEAD, whose length is that of another answer", () =>
    Effect.gen(function* () {
      const headers = { etag: '"v0"', "content-length": "20" }
      const { client } = Scripted.make({ status: 200, headers })
      const head = HttpClientRequest.head(url)
      const part = Scripted.make({ status: 206, headers: { etag: '"v0"', "content-range": "bytes 4-11/20" } })
      for (const download of [
        Download.stream(HttpRetry.withRetry(client, policy), head),
        Download.stream(part.client, HttpClientRequest.setHeader(head, "range", "bytes=4-11"))
      ]) {
        expect(yield* collected(download)).toEqual({ bytes: new Uint8Array(), error: undefined })
      }
    }).pipe(world)
  )

  it.effect("ends with the deadline", () =>
    Effect.gen(function* () {
      const { client } = RangeServer.make(file, [])
      const slow = HttpRetry.withRetry(client, { ...policy, deadline: Deadline.refuse("10 seconds") })
      const paced = Stream.tap(Download.stream(slow, get), () => Effect.sleep("4 seconds"))
      const { bytes, error } = yield* collected(paced)
      expect(bytes).toEqual(content(file, 0).subarray(0, 12))
      expect(error).toMatchObject({ _tag: "RequestError", cause: { _tag: "AttemptTimedOut" } })
    }).pipe(world)
  )

  it.effect("reads no more than its reader takes", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(1000, 10)
      const { client } = Scripted.make({ status: 200, body })
      const fiber = yield* Effect.fork(
        Stream.runForEach(Download.stream(HttpRetry.withRetry(client, policy), get), () => Effect.never)
      )
      yield* Effect.sleep("1 hour")
      expect(seen.pulled).toBeLessThanOrEqual(40)
      yield* Fiber.interrupt(fiber)
      expect(seen.cancelled).toBe(true)
    }).pipe(world)
  )

  it.effect("releases the connection when enough was taken", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(1000, 10)
      const { calls, client } = Scripted.make({ status: 200, body })
      const taken = yield* Stream.runCollect(Stream.take(Download.stream(HttpRetry.withRetry(client, policy), get), 2))
      expect([Chunk.size(taken), seen.cancelled, calls[0]?.signal.aborted]).toEqual([2, true, true])
    }).pipe(world)
  )

  it.effect("makes no request before it is run, and another download each time", () =>
    Effect.gen(function* () {
      const { calls, client } = RangeServer.make(file, [{ breaksAfter: 7 }, {}, {}])
      const download = client.pipe(HttpRetry.withRetry(policy), Download.stream(get))
      expect(calls).toHaveLength(0)
      expect((yield* collected(download)).bytes).toEqual(content(file, 0))
      expect((yield* collected(download)).bytes).toEqual(content(file, 0))
      expect(Scripted.sent(calls, "range")).toEqual([undefined, "bytes=7-", undefined])
    }).pipe(world)
  )

  it.effect("downloads once with a client that does not retry", () =>
    Effect.gen(function* () {
      const { client } = RangeServer.make(file, [{}, { breaksAfter: 7 }, { endsAfter: 7 }])
      expect((yield* collected(Download.stream(client, get))).bytes).toEqual(content(file, 0))
      expect(yield* collected(Download.stream(client, get))).toMatchObject({ error: { reason: "Decode" } })
      expect(yield* collected(Download.stream(client, get))).toMatchObject({
        error: { reason: "Decode", cause: { message: "the body ended before its length" } }
      })
    }).pipe(world)
  )

  it.effect.each(["above", "below"] as const)("says what a status means that filterStatusOk refuses: %s", (place) =>
    Effect.gen(function* () {
      const { client } = RangeServer.make(file, [{ breaksAfter: 7 }, { version: 1 }])
      const filtered =
        place === "above"
          ? client.pipe(HttpRetry.withRetry(policy), HttpClient.filterStatusOk)
          : client.pipe(HttpClient.filterStatusOk, HttpRetry.withRetry(policy))
      const { error } = yield* collected(Download.stream(filtered, get))
      expect(error).toMatchObject({ _tag: "DownloadFailed", reason: { _tag: "OtherVersion" }, received: 7 })
    }).pipe(world)
  )

  it.effect.each([
    {
      status: 412,
      error: { _tag: "DownloadFailed", reason: { _tag: "OtherVersion", why: "status 412" }, received: 7 }
    },
    { status: 416, error: { _tag: "DownloadFailed", reason: { _tag: "RangeRefused" }, received: 7 } },
    { status: 404, error: { _tag: "ResponseError", reason: "StatusCode" } }
  ])("releases a later answer whose status filterStatusOk below the retries refuses: $status", ({ error, status }) =>
    Effect.gen(function* () {
      const { calls, client } = RangeServer.make(file, [{ breaksAfter: 7 }, { status }])
      const filtered = client.pipe(HttpClient.filterStatusOk, HttpRetry.withRetry(policy))
      expect(yield* collected(Download.stream(filtered, get))).toMatchObject({ error })
      expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
    }).pipe(world)
  )

  it.effect("leaves to a client its own failure of a first answer, and of one that does not refuse its status", () =>
    Effect.gen(function* () {
      const first = RangeServer.make(file, [{ status: 412 }])
      const filtered = HttpClient.filterStatusOk(HttpRetry.withRetry(first.client, policy))
      expect(yield* collected(Download.stream(filtered, get))).toMatchObject({
        error: { _tag: "ResponseError", reason: "StatusCode" }
      })
      const second = RangeServer.make(file, [{ breaksAfter: 7 }, { version: 1 }])
      const decoding = HttpClient.transformResponse(
        HttpRetry.withRetry(second.client, policy),
        Effect.flatMap((response) =>
          Effect.fail(new HttpClientError.ResponseError({ request: response.request, response, reason: "Decode" }))
        )
      )
      expect(yield* collected(Download.stream(decoding, get))).toMatchObject({
        bytes: content(file, 0).subarray(0, 7),
        error: { _tag: "ResponseError", reason: "Decode", response: { status: 412 } }
      })
    }).pipe(world)
  )

  it.effect("leaves to the caller what a first answer says when filterStatusOk refuses its status", () =>
    Effect.gen(function* () {
      const { client } = Scripted.make({ status: 404, body: "no such file" })
      const filtered = client.pipe(HttpClient.filterStatusOk, HttpRetry.withRetry(policy))
      const { error } = yield* collected(Download.stream(filtered, get))
      expect(error).toMatchObject({ _tag: "ResponseError", reason: "StatusCode" })
      const { response } = error as HttpClientError.ResponseError
      expect([response.status, yield* response.text]).toEqual([404, "no such file"])
    }).pipe(world)
  )

  it.effect("lets defects through", () =>
    Effect.gen(function* () {
      const broken = HttpClient.make(() => Effect.die("broken"))
      const exit = yield* Effect.exit(
        Stream.runDrain(Download.stream(HttpRetry.withRetry(broken, HttpRetry.standard), get))
      )
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe("broken")
    }).pipe(world)
  )

  it.effect("pins versions by validators of the caller's own", () =>
    Effect.gen(function* () {
      const { calls, client } = RangeServer.make({ ...file, validator: "none" }, [
        { breaksAfter: 7, headers: { "x-generation": "12" } },
        { breaksAfter: 7, headers: { "x-generation": "12" } },
        { headers: { "x-generation": "13" } }
      ])
      const generation: Download.Validator = ({ headers }) =>
        Option.map(Option.fromNullable(headers["x-generation"]), (generation) => ({
          pin: HttpClientRequest.setUrlParam("generation", generation),
          isSame: ({ headers }) => headers["x-generation"] === generation
        }))
      const pinned = Download.stream(HttpRetry.withRetry(client, policy), get, { validators: [generation] })
      const { bytes, error } = yield* collected(pinned)
      expect(bytes).toEqual(content(file, 0).subarray(0, 14))
      expect(error).toMatchObject({ reason: { _tag: "OtherVersion" } })
      expect(calls.map(({ request }) => [...request.urlParams])).toEqual([
        [],
        [["generation", "12"]],
        [["generation", "12"]]
      ])
    }).pipe(world)
  )

  it.effect("takes the rest with status 200 if the version says so", () =>
    Effect.gen(function* () {
      const rest = { status: 200, headers: { "content-range": "bytes 7-8/20" } }
      const results = yield* Effect.forEach([true, false], (isPart) => {
        const { client } = RangeServer.make(file, [{ breaksAfter: 7 }, rest, {}])
        const tagged: Download.Validator = (first) =>
          Option.map(Download.entityTag(first), (version) => ({ ...version, isPart: () => isPart }))
        return collected(Download.stream(HttpRetry.withRetry(client, policy), get, { validators: [tagged] }))
      })
      expect(results[0]?.bytes).toEqual(content(file, 0).fill(0, 7, 9))
      expect(results[1]?.error).toMatchObject({ reason: { _tag: "RangeRefused" } })
    }).pipe(world)
  )
})

describe("Download.stream laws", () => {
  const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
  const step = fc.record(
    {
      status: fc.constantFrom(200, 204, 404, 412, 416, 429, 500, 503),
      unreachable: fc.constant(true),
      version: fc.nat({ max: 3 }),
      breaksAfter: fc.nat({ max: 30 }),
      endsAfter: fc.nat({ max: 30 }),
      excess: fc.nat({ max: 5 }),
      ignores: fc.constantFrom("range", "conditions"),
      atMost: fc.nat({ max: 9 }),
      headers: fc.record(
        {
          "content-range": fc.oneof(
            fc
              .tuple(fc.nat({ max: 31 }), fc.nat({ max: 31 }), fc.constantFrom("*", "30", "31"))
              .map(([first, last, total]) => `bytes ${first}-${last}/${total}`),
            fc.constant("lines 1-2/3")
          ),
          etag: fc.constant(undefined),
          "content-type": fc.constant("multipart/byteranges; boundary=x"),
          "content-encoding": fc.constantFrom("gzip", "identity"),
          "accept-ranges": fc.constantFrom("none", "bytes")
        },
        { requiredKeys: [] }
      )
    },
    { requiredKeys: [] }
  )
  /** Answers as they are more often met: most steps break or change the version, and nothing else. */
  const likely = fc.record({
    breaksAfter: maybe(fc.nat({ max: 30 })),
    version: maybe(fc.nat({ max: 1 })),
    headers: maybe(fc.constant({ etag: undefined }))
  })

  it.effect.prop(
    "emits a prefix of one version, and the whole of it if the stream succeeds",
    {
      length: fc.nat({ max: 30 }),
      validator: fc.constantFrom(...(["tag", "tag and date", "weak", "date", "fresh date", "none"] as const)),
      announcesLength: fc.boolean(),
      steps: fc.array(fc.oneof({ arbitrary: likely, weight: 3 }, { arbitrary: step, weight: 1 }), { maxLength: 5 })
    },
    ({ steps, ...of }) =>
      Effect.gen(function* () {
        const given = steps as ReadonlyArray<RangeServer.Step>
        const { bytes, error } = yield* downloaded(of, given)
        // Of a content that a server itself has spoilt nothing can be said.
        const spoilt = given.some(({ excess = 0, status }) => excess > 0 || status === 200)
        if (spoilt) return
        const versions = [0, 1, 2, 3].filter((version) =>
          bytes.every((byte, place) => byte === content(of, version)[place])
        )
        expect(versions).not.toEqual([])
        const isResumable = of.announcesLength && (of.validator === "tag" || of.validator === "date")
        const isCut = given.some(
          ({ endsAfter, headers }) => endsAfter !== undefined && (!isResumable || headers !== undefined)
        )
        if (error === undefined && !isCut && !given.some(({ status }) => status === 204)) {
          expect(bytes).toHaveLength(of.length)
        }
      }).pipe(world),
    { fastCheck: { numRuns: 80 * Number(process.env["LAW_RUNS"] ?? 0.25) } }
  )
})
