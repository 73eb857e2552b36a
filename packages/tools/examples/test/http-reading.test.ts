import { Backoff, TokenBucket, Verdict } from "@effect-retry/core"
import { Download, HttpRetry } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Data, Effect, Fiber, Predicate, Schema, Stream } from "effect"
import { answer, exchange, unavailable } from "../src/http-scripted.ts"
import type { Answer } from "../src/http-scripted.ts"
import { tableOf } from "./rows.ts"

const path = "docs/http.md"

const request = HttpClientRequest.get("https://api.example/")
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layerConstant(0))))

type Answers = readonly [Answer, ...ReadonlyArray<Answer>]
type Headers = Readonly<Record<string, string>>

/** Some bytes, and then a connection that breaks, or a body that is not cancelled yet. */
const breaking = (text: string, headers: Headers = {}, status = 200, cancelled?: () => void): Answer => {
  const pull = () => {
    let isFirst = true
    return (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (isFirst) controller.enqueue(new TextEncoder().encode(text))
      else if (cancelled === undefined) controller.error(Object.assign(new Error(), { code: "ECONNRESET" }))
      isFirst = false
    }
  }
  return (request) =>
    Effect.sync(() => {
      const body = new ReadableStream({ pull: pull(), ...(cancelled && { cancel: cancelled }) })
      return HttpClientResponse.fromWeb(request, new Response(body, { status, headers }))
    })
}

class Wrong extends Data.TaggedError("Wrong") {}

/** The statuses that were read, and how it ended. */
const read = (answers: Answers, of: HttpRetry.Fields<never> = {}, asked = request) => {
  const statuses: Array<number> = []
  return Effect.map(
    exchange(answers, (client) =>
      HttpRetry.execute(HttpRetry.withRetry(client, { ...policy, ...of } as HttpRetry.Preset), asked, (response) => {
        statuses.push(response.status)
        return Effect.filterOrFail(
          HttpClientResponse.schemaBodyJson(Schema.Number)(response),
          (number) => number !== 0,
          () => new Wrong()
        )
      })
    ),
    ({ outcome, sent }) => ({ attempts: sent.length, outcome, statuses })
  )
}

tableOf(path, "## Reading inside the attempt", {
  "a response that is sent again": () =>
    virtually("it is not read", () =>
      Effect.gen(function* () {
        const answers = [unavailable, answer(200, {}, "1")] as const
        expect(yield* read(answers)).toEqual({ attempts: 2, outcome: 1, statuses: [200] })
      })
    ),

  "a response that is no failure": () =>
    virtually("it is read, inside the attempt", () =>
      Effect.gen(function* () {
        const answers = [breaking("", {}, 404), answer(404, {}, "1")] as const
        expect(yield* read(answers)).toEqual({ attempts: 2, outcome: 1, statuses: [404, 404] })
      })
    ),

  "a response that is not retryable": () =>
    virtually("it is read, inside the attempt, and never sent again", () =>
      Effect.gen(function* () {
        expect(yield* read([answer(501, {}, "1")])).toEqual({ attempts: 1, outcome: 1, statuses: [501] })
        const broken = yield* read([breaking("", {}, 501), answer(200, {}, "1")])
        expect(broken).toMatchObject({ attempts: 1, outcome: { _tag: "ResponseError" }, statuses: [501] })
      })
    ),

  "the last response of all attempts, or one that the bucket refuses to replace": () =>
    virtually("it is read after them, within the timeout of an attempt and what the deadline leaves", () =>
      Effect.gen(function* () {
        const busy = answer(503, {}, "1")
        expect(yield* read([busy])).toEqual({ attempts: 3, outcome: 1, statuses: [503] })
        const bucket = yield* TokenBucket.quota({ capacity: 14 })
        expect(yield* read([busy], { bucket })).toEqual({ attempts: 2, outcome: 1, statuses: [503] })
      })
    ),

  "a body that breaks, stalls until the timeout, or is shorter than announced": () =>
    virtually("the request is sent again, if it is safe to repeat: the server may have processed it", () =>
      Effect.gen(function* () {
        const answers = [breaking("1"), answer(200, {}, "1")] as const
        expect(yield* read(answers)).toMatchObject({ attempts: 2, outcome: 1 })
        const post = HttpClientRequest.post(request.url)
        expect(yield* read(answers, {}, post)).toMatchObject({ attempts: 1, outcome: { _tag: "ResponseError" } })
      })
    ),

  "a body that is no JSON, or does not fit its schema": () =>
    virtually("the reader's error, unless `opinion` calls it retryable", () =>
      Effect.gen(function* () {
        expect(yield* read([answer(200, {}, "{")])).toMatchObject({ attempts: 1, outcome: { reason: "Decode" } })
        const unfit = [answer(200, {}, "{}"), answer(200, {}, "1")] as const
        expect(yield* read(unfit)).toMatchObject({ attempts: 1, outcome: { _tag: "ParseError" } })
        const opinion = (outcome: unknown) =>
          Predicate.isTagged(outcome, "ParseError") ? Verdict.transient : Verdict.noOpinion
        expect(yield* read(unfit, { opinion })).toMatchObject({ attempts: 2, outcome: 1 })
      })
    ),

  "an error of the reader's own": () =>
    virtually("the same", () =>
      Effect.gen(function* () {
        const wrong = [answer(200, {}, "0"), answer(200, {}, "1")] as const
        expect(yield* read(wrong)).toMatchObject({ attempts: 1, outcome: { _tag: "Wrong" } })
        const opinion = (outcome: unknown) => (outcome instanceof Wrong ? Verdict.transient : Verdict.noOpinion)
        expect(yield* read(wrong, { opinion })).toMatchObject({ attempts: 2, outcome: 1 })
      })
    ),

  "an interruption in the middle of a read": () =>
    virtually("the connection is closed", () =>
      Effect.gen(function* () {
        let cancelled = 0
        const stalling = breaking("1", {}, 200, () => (cancelled += 1))
        const reading = exchange([stalling], (client) =>
          HttpRetry.execute(HttpRetry.withRetry(client, policy), request, ({ stream }) => Stream.runDrain(stream))
        )
        const fiber = yield* Effect.fork(reading)
        yield* Effect.sleep("1 second")
        yield* Fiber.interrupt(fiber)
        expect(cancelled).toBe(1)
      })
    )
})

const etag = '"a"'
const modified = "Sun, 22 Nov 2026 11:00:00 GMT"

/** What comes of ten bytes whose first answer breaks after four. */
const downloaded = (...answers: ReadonlyArray<Answer>) =>
  Effect.suspend(() => {
    let text = ""
    const first = breaking("0123", { etag, "last-modified": modified, "content-length": "10" })
    const used = exchange([first, ...answers], (client) =>
      Stream.runForEach(Stream.decodeText(Download.stream(HttpRetry.withRetry(client, policy), request)), (part) =>
        Effect.sync(() => void (text += part))
      )
    )
    return Effect.map(used, ({ outcome, requests }) => ({
      text,
      error: outcome,
      asked: requests.slice(1).map(({ headers }) => headers["range"])
    }))
  })

const failing = (reason: string, ...answers: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    for (const one of answers) {
      const { error, text } = yield* downloaded(one)
      expect({ error, text }).toMatchObject({
        error: { _tag: "DownloadFailed", reason: { _tag: reason } },
        text: "0123"
      })
    }
  })

const part = (range: string, text: string, headers: Headers = {}) =>
  answer(206, { etag, "content-range": range, ...headers }, text)

tableOf(path, "## Downloads that resume", {
  "206 with the same validator and a `Content-Range` that begins at the next byte": () =>
    virtually("its bytes follow", () =>
      Effect.gen(function* () {
        const { asked, error, text } = yield* downloaded(part("bytes 4-9/10", "456789"))
        expect({ asked, error, text }).toEqual({ asked: ["bytes=4-"], error: undefined, text: "0123456789" })
      })
    ),

  "the same without `ETag`, and with the `Last-Modified` of the first answer": () =>
    virtually("its bytes follow", () =>
      Effect.gen(function* () {
        const rest = { etag: "", "last-modified": modified }
        const { error, text } = yield* downloaded(part("bytes 4-9/10", "456789", rest))
        expect({ error, text }).toEqual({ error: undefined, text: "0123456789" })
      })
    ),

  "the same, but it ends too early": () =>
    virtually("the rest of it is asked for, as the next attempt", () =>
      Effect.gen(function* () {
        const { asked, text } = yield* downloaded(part("bytes 4-9/10", "456"), part("bytes 7-9/10", "789"))
        expect({ asked, text }).toEqual({ asked: ["bytes=4-", "bytes=7-"], text: "0123456789" })
      })
    ),

  "412, or the validator or the length of another version": () =>
    virtually("`DownloadFailed`, with `OtherVersion`", () =>
      failing(
        "OtherVersion",
        answer(412),
        part("bytes 4-9/10", "456789", { etag: '"b"' }),
        answer(200, { etag: '"b"' }, "9876543210"),
        part("bytes 4-10/11", "4567890")
      )
    ),

  "416 whose `Content-Range: bytes */20` says that all 20 bytes were received": () =>
    virtually("the download is whole, and ends", () =>
      Effect.gen(function* () {
        const whole = breaking("01234567890123456789", { etag })
        const end = answer(416, { "content-range": "bytes */20" })
        const { outcome } = yield* exchange([whole, end], (client) =>
          Stream.mkString(Stream.decodeText(Download.stream(HttpRetry.withRetry(client, policy), request)))
        )
        expect(outcome).toBe("01234567890123456789")
      })
    ),

  "200 with the same validator, another 416, or another status of 2xx": () =>
    virtually("`DownloadFailed`, with `RangeRefused`", () =>
      failing("RangeRefused", answer(200, { etag }, "0123456789"), answer(416), answer(202, {}, "later"))
    ),

  "206 with another `Content-Range` or without one, without its version, with several parts, with a coding, or with more bytes than announced":
    () => {
      virtually("`DownloadFailed`, with `WrongPart`", () =>
        failing(
          "WrongPart",
          part("bytes 5-9/10", "56789"),
          answer(206, { etag }, "456789"),
          part("bytes 4-9/10", "456789", { etag: "" }),
          answer(206, { etag, "content-type": "multipart/byteranges; boundary=a" }, "--a"),
          part("bytes 4-9/10", "456789", { "content-encoding": "br" })
        )
      )

      virtually("what fits is emitted of a body that is too long", () =>
        Effect.gen(function* () {
          const { error, text } = yield* downloaded(part("bytes 4-9/10", "4567890"))
          expect({ error, text }).toMatchObject({ error: { reason: { _tag: "WrongPart" } }, text: "0123456789" })
        })
      )
    },

  "429, 503 and every other retryable status": () =>
    virtually("waits, and asks for the rest again", () =>
      Effect.gen(function* () {
        const { asked, text } = yield* downloaded(unavailable, part("bytes 4-9/10", "456789"))
        expect({ asked, text }).toEqual({ asked: ["bytes=4-", "bytes=4-"], text: "0123456789" })
      })
    ),

  "another status": () =>
    virtually("a `ResponseError`", () =>
      Effect.gen(function* () {
        const { error } = yield* downloaded(answer(404))
        expect(error).toMatchObject({ _tag: "ResponseError", reason: "StatusCode", response: { status: 404 } })
      })
    )
})
