import { HttpClient, HttpClientError } from "@effect/platform"
import type { Observe } from "@effect-retry/core"
import { ResumableUpload } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger, LogLevel, Stream, Tracer } from "effect"
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

const faults: ReadonlyArray<readonly [string, ReadonlyArray<UploadServer.Fault>]> = [
  ["nothing", []],
  ["a reset and a lost session", [{}, { reset: "before" }, { loses: true }]],
  ["resets without end", [{}, ...forever({ reset: "after" })]],
  [
    "failures without end",
    [{}, ...forever({ status: 503, headers: { location: `https://a.test/?upload_id=${UploadServer.secret}` } })]
  ],
  ["a refusal", [{}, { status: 403 }]],
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
