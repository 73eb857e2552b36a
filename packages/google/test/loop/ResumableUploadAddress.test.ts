import { HttpClient, HttpClientError, type HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import type { Observe } from "@effect-retry/core"
import { ResumableUpload } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Layer, Logger, LogLevel, Option, Stream, Tracer } from "effect"
import { inspect } from "node:util"
import * as Uploads from "../support/Uploads.ts"
import * as UploadServer from "../support/UploadServer.ts"

const { first, forever, options, policy, status, world } = Uploads

/** Everything that an operator, or a reader of an error, can see. */
const shown = (value: unknown): string =>
  [
    inspect(value, { depth: 12, showHidden: true }),
    JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)),
    String(value)
  ].join("\n")

/** A tracer that keeps what its spans are told. */
const tracing = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const events: Array<unknown> = []
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: String(spans.length),
        traceId: "trace",
        parent,
        context,
        links,
        sampled: true,
        kind,
        attributes,
        status: { _tag: "Started", startTime },
        // Tracers tell what a span failed with, and not what it answered.
        end: (_, exit) => void events.push(Exit.isFailure(exit) ? [exit, Cause.pretty(exit.cause)] : "ended"),
        attribute: (key, value) => void attributes.set(key, value),
        event: (name, _, more) => void events.push([name, more]),
        addLinks: () => undefined
      }
      spans.push(Object.assign(span, { events }))
      return span
    },
    context: (run) => run()
  })
  return { spans, layer: Layer.setTracer(tracer) }
}

/** A client that names the address in its errors, as clients do. */
const telling = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (sent, request) =>
    Effect.mapError(sent, () => {
      const reason = new Error(`PUT ${request.url} failed`)
      const cause = Object.assign(new TypeError("fetch failed", { cause: reason }), {
        code: "ECONNRESET",
        input: [request.url]
      })
      return new HttpClientError.RequestError({ request, reason: "Transport", cause, description: `of ${request.url}` })
    })
  )

/** Of a session that the server answers, and encoded. */
const echo = {
  "x-echo": `PUT /upload?upload_id=${UploadServer.secret}0`,
  "x-echo-encoded": encodeURIComponent(`upload_id=${UploadServer.secret}0`)
}
const pathSecret = `${UploadServer.origin}/session/${UploadServer.secret}?uploadType=resumable`

const faults: ReadonlyArray<readonly [string, ReadonlyArray<UploadServer.Fault>]> = [
  ["nothing", []],
  ["a reset and a lost session", [{}, { reset: "before" }, { loses: true }]],
  ["resets without end", [{}, ...forever({ reset: "after" })]],
  [
    "failures without end",
    [{}, ...forever({ status: 503, headers: { location: `https://a.test/?upload_id=${UploadServer.secret}` } })]
  ],
  ["a refusal", [{}, { status: 403 }]],
  ["a refusal with it in a header of the server's", [{}, { status: 403, headers: echo }]],
  ["failures with it in a header of the server's", [{ headers: echo }, ...forever({ status: 503, headers: echo })]],
  ["a session whose path is the secret", [{ headers: { location: pathSecret } }, { status: 403 }]],
  ["data loss", [{}, { headers: { range: "bytes=0-999999" } }]],
  ["a session at another origin", [{ headers: { location: `https://other.test/?upload_id=${UploadServer.secret}` } }]]
]

describe("the address of a session", () => {
  it.effect.each(faults)("is in no error, event, log line or span: %s", ([, faults]) =>
    Effect.gen(function* () {
      const { layer, spans } = tracing()
      const lines: Array<unknown> = []
      const seen: Array<Observe.RetryEvent> = []
      const observe: ReadonlyArray<Observe.Observer> = [
        (event) => Effect.sync(() => seen.push({ ...event, ...event.details() } as never))
      ]
      const logged = Logger.replace(
        Logger.defaultLogger,
        Logger.make((line) => lines.push(line))
      )
      const client = telling(UploadServer.make(...faults).client)
      const events = yield* ResumableUpload.stream(client, {
        ...options,
        policy: { ...policy, observe, name: "upload" }
      }).pipe(
        Stream.tap((event) => Effect.log(event)),
        Stream.runCollect,
        Effect.tapErrorCause((cause) => Effect.logError("failed", cause)),
        Effect.withSpan("upload"),
        Effect.exit,
        Effect.provide([layer, logged, Logger.minimumLogLevel(LogLevel.All)])
      )
      const pretty = Exit.isFailure(events) ? Cause.pretty(events.cause) : ""
      expect(spans.map(({ name }) => name)).toContain("http.client POST")
      for (const value of [events, pretty, spans, lines, seen]) expect(shown(value)).not.toContain(UploadServer.secret)
    }).pipe(world)
  )

  it.effect("stays out of causes, of which the code is kept", () =>
    Effect.gen(function* () {
      const client = telling(UploadServer.make({}, ...forever({ reset: "before" })).client)
      const error = yield* Effect.flip(ResumableUpload.run(client, options))
      expect(error).toMatchObject({ _tag: "RequestError", cause: { code: "ECONNRESET", name: "TypeError" } })
      expect(error).not.toHaveProperty("description")
    }).pipe(world)
  )

  class Own extends Data.TaggedError("Own")<{ readonly of: string; readonly parts: ReadonlyArray<unknown> }> {}

  type Failed = Own | HttpClientError.HttpClientError

  const breaking = (broken: (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<never, Own>) =>
    HttpClient.transform(
      UploadServer.make().client,
      (sent, request): Effect.Effect<HttpClientResponse.HttpClientResponse, Failed> =>
        request.method === "POST" ? sent : broken(request)
    )

  it.effect("stays out of the errors of a client's own, of which the rest is kept", () =>
    Effect.gen(function* () {
      const client = breaking((request) =>
        Effect.fail(
          Object.assign(new Own({ of: `PUT ${request.url}`, parts: ["a", request.url] }), { request, code: 5 })
        )
      )
      const exit = yield* Effect.exit(ResumableUpload.run(client, options))
      expect(shown(exit)).not.toContain(UploadServer.secret)
      const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
      expect(error).toBeInstanceOf(Own)
      expect(error).toMatchObject({ _tag: "Own", of: "PUT REDACTED", code: 5, request: { method: "PUT" } })
    }).pipe(world)
  )

  it.effect("stays out of defects", () =>
    Effect.gen(function* () {
      const client = breaking((request) => Effect.die(new TypeError(`at ${request.url}`, { cause: request })))
      const exit = yield* Effect.exit(ResumableUpload.run(client, options))
      expect(shown(exit)).not.toContain(UploadServer.secret)
      const defect = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.dieOption(exit.cause)) : undefined
      expect(defect).toBeInstanceOf(TypeError)
      expect(defect).toHaveProperty("message", "at REDACTED")
    }).pipe(world)
  )

  it.effect("leaves errors without it as they are", () =>
    Effect.gen(function* () {
      const own = new Own({ of: "PUT", parts: [] })
      const error = yield* Effect.flip(
        ResumableUpload.run(
          breaking(() => Effect.fail(own)),
          options
        )
      )
      expect(error).toHaveProperty("parts")
      expect((error as Own).parts).toBe(own.parts)
    }).pipe(world)
  )

  it.effect.each([
    [`${UploadServer.origin}/session/${UploadServer.secret}`, `${UploadServer.origin}/REDACTED?`],
    [
      `/upload/storage/v1/b/photos/o?upload_id=${UploadServer.secret}`,
      `${UploadServer.origin}/upload/storage/v1/b/photos/o?`
    ]
  ])("shows of %s its origin, and the path where it is that of the start", ([location, start]) =>
    Effect.gen(function* () {
      const { client } = UploadServer.make({ headers: { location } }, { status: 403 })
      const error = yield* Effect.flip(ResumableUpload.run(client, options))
      expect(error).toMatchObject({ _tag: "ResponseError", request: { method: "PUT" } })
      expect(String(error)).toContain(`(403 PUT ${start}uploadType=resumable&upload_id=REDACTED`)
    }).pipe(world)
  )

  it.effect("is told to the caller, hidden", () =>
    Effect.gen(function* () {
      const told = yield* Stream.runHead(ResumableUpload.stream(UploadServer.make().client, options))
      expect(shown(told)).toContain("<redacted>")
    }).pipe(world)
  )

  it.effect("is asked once for what a client fails with for its status", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, { loses: true }, {}, { status: 503 })
      yield* ResumableUpload.run(HttpClient.filterStatusOk(server.client), options)
      expect(UploadServer.asked(server.calls).slice(0, 6)).toEqual(["start", first, "start", first, status, first])
      expect(server.open.size).toBe(0)
    }).pipe(world)
  )
})
