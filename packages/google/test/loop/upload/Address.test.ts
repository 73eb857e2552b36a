import { HttpClient, HttpClientError, type HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import type { Observe } from "@effect-retry/core"
import { ResumableUpload } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Data, Duration, Effect, Exit, Layer, Logger, LogLevel, Option, Stream, Tracer } from "effect"
import { inspect } from "node:util"
import * as Printed from "../../../../core/test/support/Printed.ts"
import * as Uploads from "../../support/Uploads.ts"
import * as UploadServer from "../../support/UploadServer.ts"

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

/** Of a start that fails although the server has made a session. */
const made = {
  location: `${UploadServer.origin}/upload/storage/v1/b/photos/o?upload_id=${UploadServer.secret}0`,
  "x-guploader-uploadid": `${UploadServer.secret}0`
}

const faults: ReadonlyArray<readonly [string, ReadonlyArray<UploadServer.Fault>]> = [
  ["nothing", []],
  ["a reset and a lost session", [{}, { reset: "before" }, { loses: true }]],
  ["resets without end", [{}, ...forever({ reset: "after" })]],
  [
    "failures without end",
    [{}, ...forever({ status: 503, headers: { location: `https://a.test/?upload_id=${UploadServer.secret}` } })]
  ],
  ["a start that is refused", [{ status: 403, headers: made }]],
  ["a start that fails without end", forever({ status: 503, headers: made })],
  ["a second start that fails without end", [{}, { loses: true }, ...forever({ status: 503, headers: made })]],
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
      expect(spans.map(({ name }) => name)).toContainEqual(expect.stringMatching(/\bPOST$/))
      for (const value of [events, pretty, spans, lines, seen]) expect(shown(value)).not.toContain(UploadServer.secret)
    }).pipe(world)
  )

  it.effect("stays out of causes, whose code is kept", () =>
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

  it.effect("leaves only the class, the tag, the code, numbers and flags of a client's own error", () =>
    Effect.gen(function* () {
      const after = Duration.seconds(2)
      const client = breaking((request) =>
        Effect.fail(
          Object.assign(new Own({ of: `PUT ${request.url}`, parts: ["a", request.url] }), {
            request,
            code: "EBUSY",
            limit: 5,
            isFinal: true,
            after
          })
        )
      )
      const exit = yield* Effect.exit(ResumableUpload.run(client, options))
      expect(shown(exit)).not.toContain(UploadServer.secret)
      const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
      expect(error).toBeInstanceOf(Own)
      expect(Object.entries(error ?? {})).toEqual([
        ["limit", 5],
        ["isFinal", true],
        ["after", after],
        ["code", "EBUSY"],
        ["_tag", "Own"]
      ])
    }).pipe(world)
  )

  it.effect("stays out of defects", () =>
    Effect.gen(function* () {
      const client = breaking((request) => Effect.die(new TypeError(`at ${request.url}`, { cause: request })))
      const exit = yield* Effect.exit(ResumableUpload.run(client, options))
      expect(shown(exit)).not.toContain(UploadServer.secret)
      const defect = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.dieOption(exit.cause)) : undefined
      expect(defect).toBeInstanceOf(TypeError)
      expect(defect).toHaveProperty("message", "")
    }).pipe(world)
  )

  const id = "ABPtcPoSECRETx/y+z=w"
  const location = `${UploadServer.origin}/upload/storage/v1/b/photos/o?uploadType=resumable&upload_id=${encodeURIComponent(id)}`

  class Hiding extends Error {
    readonly #url: string
    constructor(url: string) {
      super("hidden")
      this.#url = url
    }
    get url() {
      return this.#url
    }
  }

  const transport = (request: HttpClientRequest.HttpClientRequest, cause: unknown, description?: string) =>
    new HttpClientError.RequestError({
      request,
      reason: "Transport",
      cause,
      ...(description !== undefined && { description })
    })

  const lowerHex = (url: string) => url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

  const places: ReadonlyArray<
    readonly [string, (url: string, request: HttpClientRequest.HttpClientRequest) => unknown]
  > = [
    ["a cause", (url, request) => transport(request, new Error(`connect failed to ${url}`))],
    ["a cause of a cause", (url, request) => transport(request, new Error("x", { cause: new Error(url) }))],
    ["lower case", (url, request) => transport(request, new Error(`at ${url.toLowerCase()}`))],
    ["upper case", (url, request) => transport(request, new Error(`at ${url.toUpperCase()}`))],
    ["hexadecimal in lower case", (url, request) => transport(request, new Error(`at ${lowerHex(url)}`))],
    [
      "JSON with escaped slashes",
      (_, request) => transport(request, new Error(`{"id":"${id.replaceAll("/", "\\/")}"}`))
    ],
    ["two encodings", (_, request) => transport(request, new Error(encodeURIComponent(encodeURIComponent(id))))],
    ["a part", (_, request) => transport(request, new Error(`at ${id.slice(0, 14)}`))],
    ["a description", (url, request) => transport(request, undefined, `to ${url}`)],
    ["a configuration", (url) => Object.assign(new Error("boom"), { config: { url, headers: { id } } })],
    ["an aggregate", (url) => new AggregateError([new Error(url), new Error("b")], url)],
    ["a symbol", (url) => Object.assign(new Error("s"), { [Symbol("url")]: url })],
    ["the name of a property", (url) => Object.assign(new Error("s"), { [url]: 1 })],
    ["a private field", (url) => new Hiding(url)],
    ["a map", (url) => Object.assign(new Error("m"), { map: new Map([["k", new Map([["z", url]])]]) })],
    ["a Request", (url) => Object.assign(new Error("r"), { request: new Request(url) })],
    ["a URLSearchParams", (url) => Object.assign(new Error("r"), { query: new URL(url).searchParams })],
    ["bytes", (url) => Object.assign(new Error("r"), { bytes: Buffer.from(url) })],
    ["a function", (url) => Object.assign(new Error("f"), { toJSON: () => url })],
    ["its name and its code", (url) => Object.assign(new Error("f"), { name: url, code: id })],
    ["a text", (url) => `failed: ${url}`]
  ]

  it.effect.each(places)("is shown in no spelling and in no place: %s", ([, make]) =>
    Effect.gen(function* () {
      const { client } = UploadServer.make({ headers: { location } })
      const failing = HttpClient.transform(client, (sent, request) =>
        request.method === "POST" ? sent : Effect.fail(make(request.url, request))
      )
      const seen: Array<unknown> = []
      const { layer, spans } = tracing()
      const observe: ReadonlyArray<Observe.Observer> = [
        (event) => Effect.sync(() => void seen.push(event, event.details()))
      ]
      const error = yield* ResumableUpload.run(failing, { ...options, policy: { ...policy, observe } }).pipe(
        Effect.flip,
        Effect.provide(layer)
      )
      const printed = [...[error, ...seen].flatMap(Printed.all), ["the spans", shown(spans)] as const]
      expect(printed.filter(([, text]) => text.toLowerCase().includes("secretx")).map(([way]) => way)).toEqual([])
    }).pipe(world)
  )

  const ofAnswers: ReadonlyArray<readonly [string, (response: HttpClientResponse.HttpClientResponse) => unknown]> = [
    [
      "an error of the platform",
      (response) => new HttpClientError.ResponseError({ request: response.request, response, reason: "Decode" })
    ],
    [
      "an error of the client's own",
      ({ headers }) => Object.assign(new Error(`to ${headers["location"]}`), { headers })
    ]
  ]

  it.effect.each(ofAnswers)("is not shown when a client fails with the answer to a start: in %s", ([, make]) =>
    Effect.gen(function* () {
      for (const starts of [1, 2]) {
        const server = UploadServer.make({ headers: made }, { loses: true }, { headers: made })
        const failing = HttpClient.transformResponse(
          server.client,
          Effect.flatMap((response) =>
            UploadServer.asked(server.calls).filter((asked) => asked === "start").length === starts
              ? Effect.fail(make(response))
              : Effect.succeed(response)
          )
        )
        const seen: Array<unknown> = []
        const observe: ReadonlyArray<Observe.Observer> = [
          (event) => Effect.sync(() => void seen.push(event, event.details()))
        ]
        const own = { ...policy, maxAttempts: 2, observe }
        const error = yield* Effect.flip(ResumableUpload.run(failing, { ...options, policy: own }))
        const printed = [error, ...seen].flatMap((value) => Printed.all(value))
        expect(printed.filter(([, text]) => text.includes(UploadServer.secret)).map(([way]) => way)).toEqual([])
        expect(UploadServer.asked(server.calls)).toEqual(starts === 1 ? ["start"] : ["start", first, "start"])
      }
    }).pipe(world)
  )

  it.effect("leaves a caller the status and the body of a start that was refused", () =>
    Effect.gen(function* () {
      const { client } = UploadServer.make({ status: 403, headers: made, body: "no such bucket" })
      const error = yield* Effect.flip(ResumableUpload.run(client, options))
      expect(error).toMatchObject({ _tag: "ResponseError", request: { method: "POST" }, response: { status: 403 } })
      const { response } = error as HttpClientError.ResponseError
      expect(yield* response.text).toBe("no such bucket")
    }).pipe(world)
  )

  it.effect("leaves the error of a connection to classifiers", () =>
    Effect.gen(function* () {
      const aborted = new DOMException("aborted", "AbortError")
      const heard: Array<unknown> = []
      const client = HttpClient.transform(UploadServer.make().client, (sent, request) =>
        request.method === "POST" ? sent : Effect.fail(transport(request, aborted))
      )
      const error = yield* Effect.flip(
        ResumableUpload.run(client, {
          ...options,
          policy: { ...policy, observe: [({ _tag }) => Effect.sync(() => void heard.push(_tag))] }
        })
      )
      expect(error).toMatchObject({ _tag: "RequestError", cause: { original: aborted } })
      expect(heard).toEqual(["Succeeded", "AttemptFailed", "GaveUp"])
    }).pipe(world)
  )

  it.effect.each([
    [`${UploadServer.origin}/session/${UploadServer.secret}`, `${UploadServer.origin}/REDACTED?`],
    [
      `/upload/storage/v1/b/photos/o?upload_id=${UploadServer.secret}`,
      `${UploadServer.origin}/upload/storage/v1/b/photos/o?`
    ]
  ])("shows only the origin of %s, and the path if it is that of the start", ([location, start]) =>
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

  it.effect("is asked for once when a client fails with a status", () =>
    Effect.gen(function* () {
      const server = UploadServer.make({}, { loses: true }, {}, { status: 503 })
      yield* ResumableUpload.run(HttpClient.filterStatusOk(server.client), options)
      expect(UploadServer.asked(server.calls).slice(0, 6)).toEqual(["start", first, "start", first, status, first])
      expect(server.open.size).toBe(0)
    }).pipe(world)
  )
})
