/**
 * What becomes of requests over HTTP/2 and TLS, by what the server did to their streams and connections.
 */
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { AttemptTimeout, Backoff, Verdict } from "@effect-retry/core"
import { HttpClassifier, HttpRetry } from "@effect-retry/http"
import { expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Http2 from "node:http2"
import { Agent } from "undici"
import * as Certificates from "../support/Certificates.ts"
import * as Clients from "../support/Clients.ts"
import * as Http2Client from "../support/Http2Client.ts"
import * as Http2Server from "../support/Http2Server.ts"
import * as HttpServer from "../support/HttpServer.ts"
import * as Judged from "../support/Judged.ts"
import * as RawServer from "../support/RawServer.ts"

type Answer = (arrived: Http2Server.Arrived) => void

/**
 * The codes that the first attempt failed with, the outermost first, and how it is judged; how many requests of a GET and
 * of a POST the server saw.
 */
type Met = readonly [codes: string, judged: string, gets: number, posts: number]

interface Row {
  readonly wire: string
  readonly answer: Answer
  readonly undici: Met
  /** With `redirect` set to "manual": the errors of `fetch` do not say whether it was redirected. */
  readonly fetch: Met
  readonly "node:http2": Met
}

const names = ["undici", "fetch", "node:http2"] as const

type Shared = Name | "the global fetch"

type Name = (typeof names)[number]

const { constants } = Http2

const reset =
  (code: number): Answer =>
  ({ stream }) =>
    stream.close(code)

const goAway =
  (code: number, lastStream?: number): Answer =>
  ({ session }) =>
    session.goaway(code, lastStream)

const answered: Met = ["", "", 1, 1]

/** Every client tells the code of a stream, and undici the code of a connection that goes away. */
const ofStream = (judged: string, gets: number, posts: number) => ({
  undici: ["ERR_HTTP2_STREAM_ERROR", judged, gets, posts] as const,
  fetch: ["TypeError < ERR_HTTP2_STREAM_ERROR", judged, gets, posts] as const,
  "node:http2": ["ERR_HTTP2_STREAM_ERROR", judged, gets, posts] as const
})

const ofSession = (judged: string, gets: number, posts: number) => ({
  undici: ["UND_ERR_SOCKET", judged, gets, posts] as const,
  fetch: ["TypeError < UND_ERR_SOCKET", judged, gets, posts] as const,
  "node:http2": ["ERR_HTTP2_SESSION_ERROR", judged, gets, posts] as const
})

const early: Met = ["ERR_STREAM_PREMATURE_CLOSE", "Transient Unknown", 2, 1]

const ofEarlyEnd = {
  undici: ["UND_ERR_INFO", "Transient Unknown", 2, 1] as const,
  fetch: ["TypeError < UND_ERR_INFO", "Transient Unknown", 2, 1] as const,
  "node:http2": early
}

const ofLostConnection = { ...ofSession("Transient Unknown", 2, 1), "node:http2": early }

const rows: ReadonlyArray<Row> = [
  // RFC 9113, sections 7 and 8.7: "guaranteed not to have been processed".
  {
    wire: "RST_STREAM REFUSED_STREAM",
    answer: reset(constants.NGHTTP2_REFUSED_STREAM),
    ...ofStream("Transient NotProcessed", 2, 2)
  },
  {
    wire: "RST_STREAM ENHANCE_YOUR_CALM",
    answer: reset(constants.NGHTTP2_ENHANCE_YOUR_CALM),
    ...ofStream("Throttling Unknown", 2, 1)
  },
  {
    wire: "RST_STREAM INTERNAL_ERROR",
    answer: reset(constants.NGHTTP2_INTERNAL_ERROR),
    ...ofStream("Transient Unknown", 2, 1)
  },
  {
    wire: "RST_STREAM PROTOCOL_ERROR",
    answer: reset(constants.NGHTTP2_PROTOCOL_ERROR),
    ...ofStream("Transient Unknown", 2, 1)
  },
  // What another attempt over HTTP/2 does not cure.
  {
    wire: "RST_STREAM HTTP_1_1_REQUIRED",
    answer: reset(constants.NGHTTP2_HTTP_1_1_REQUIRED),
    ...ofStream("transport error NGHTTP2_HTTP_1_1_REQUIRED", 1, 1)
  },
  {
    wire: "RST_STREAM INADEQUATE_SECURITY",
    answer: reset(constants.NGHTTP2_INADEQUATE_SECURITY),
    ...ofStream("transport error NGHTTP2_INADEQUATE_SECURITY", 1, 1)
  },
  // Node tells neither of them by an error.
  { wire: "RST_STREAM CANCEL", answer: reset(constants.NGHTTP2_CANCEL), ...ofEarlyEnd },
  { wire: "RST_STREAM NO_ERROR", answer: reset(constants.NGHTTP2_NO_ERROR), ...ofEarlyEnd },
  // "Clients MUST NOT discard responses as a result of receiving such a RST_STREAM": RFC 9113, section 8.1.
  {
    wire: "RST_STREAM NO_ERROR after a whole response",
    answer: ({ stream }) => {
      stream.respond({ ":status": 200 })
      stream.end("ok", () => stream.close(constants.NGHTTP2_NO_ERROR))
    },
    undici: answered,
    fetch: answered,
    "node:http2": answered
  },
  // RFC 9113, section 6.8. undici closes the connection whichever stream the frame names.
  {
    wire: "GOAWAY with an earlier stream as its last",
    answer: goAway(constants.NGHTTP2_NO_ERROR, 1),
    ...ofSession("Transient Unknown", 2, 1),
    "node:http2": ["ERR_HTTP2_STREAM_ERROR", "Transient NotProcessed", 2, 2]
  },
  {
    wire: "GOAWAY with this stream as its last, and a response",
    answer: (arrived) => {
      arrived.session.goaway(constants.NGHTTP2_NO_ERROR)
      Http2Server.ok(arrived)
    },
    ...ofSession("Transient Unknown", 2, 1),
    "node:http2": answered
  },
  {
    wire: "GOAWAY with this stream as its last, and the end",
    answer: ({ session }) => session.destroy(),
    ...ofLostConnection
  },
  {
    wire: "GOAWAY INTERNAL_ERROR",
    answer: goAway(constants.NGHTTP2_INTERNAL_ERROR),
    ...ofSession("Transient Unknown", 2, 1)
  },
  {
    wire: "GOAWAY INTERNAL_ERROR with an earlier stream as its last",
    answer: goAway(constants.NGHTTP2_INTERNAL_ERROR, 1),
    ...ofSession("Transient Unknown", 2, 1)
  },
  {
    wire: "GOAWAY ENHANCE_YOUR_CALM",
    answer: goAway(constants.NGHTTP2_ENHANCE_YOUR_CALM),
    ...ofSession("Throttling Unknown", 2, 1)
  },
  {
    wire: "GOAWAY HTTP_1_1_REQUIRED",
    answer: goAway(constants.NGHTTP2_HTTP_1_1_REQUIRED),
    ...ofSession("transport error NGHTTP2_HTTP_1_1_REQUIRED", 1, 1)
  },
  // No word on this stream.
  {
    wire: "GOAWAY REFUSED_STREAM",
    answer: goAway(constants.NGHTTP2_REFUSED_STREAM),
    ...ofSession("Transient Unknown", 2, 1)
  },
  {
    wire: "a timeout of the server's session",
    answer: ({ session }) => session.setTimeout(1, () => session.destroy()),
    ...ofLostConnection
  },
  { wire: "the end of the connection", answer: ({ socket }) => socket.destroy(), ...ofLostConnection },
  {
    wire: "a reset of the connection",
    answer: ({ socket }) => Http2Server.reset(socket),
    undici: ["ECONNRESET", "Transient Unknown", 2, 1],
    fetch: ["TypeError < ECONNRESET", "Transient Unknown", 2, 1],
    "node:http2": ["ECONNRESET", "Transient Unknown", 2, 1]
  }
]

const agent = (ca: string) => new Agent({ allowH2: true, connect: { ca, servername: Certificates.host } })

type Clients = { readonly [name in Shared]: HttpClient.HttpClient }

/** One of each, with its connections, for all tests. */
class SharedClients extends Context.Tag("test/SharedClients")<SharedClients, Clients>() {}

const shared = Layer.scoped(
  SharedClients,
  Effect.gen(function* () {
    const { authority } = yield* Certificates.certificates
    const built = (client: Clients.Client) => Effect.map(Layer.build(client), Context.get(HttpClient.HttpClient))
    return {
      undici: yield* built(Clients.undici(() => agent(authority))),
      fetch: yield* built(Clients.fetch(() => agent(authority))),
      "the global fetch": yield* built(Clients.globalFetchOver(() => agent(authority))),
      "node:http2": yield* built(Http2Client.layer({ ca: authority, servername: Certificates.host }))
    }
  })
)

const policy = { maxAttempts: 2, backoff: Backoff.constant({ delay: 1 }) }

const requests = (url: string) => [
  HttpClientRequest.get(url),
  HttpClientRequest.bodyText(HttpClientRequest.post(url), "a body")
]

/** Server and client, with a connection that has answered a request before. */
const prepared = (name: Shared, answer: Answer) =>
  Effect.gen(function* () {
    const server = yield* Http2Server.Http2Server
    const client = (yield* SharedClients)[name]
    const first = HttpRetry.withRetry(client, { ...policy, maxAttempts: 5 }).get(server.url + Http2Server.firstPath)
    yield* Effect.flatMap(first, ({ text }) => text)
    server.prepare(answer)
    return { client, server }
  })

const manual = Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })

/** What is seen of a GET and of a POST. */
const met = (name: Shared, answer: Answer) =>
  Effect.gen(function* () {
    const failures: Array<unknown> = []
    const opinion = (outcome: unknown) => {
      if (!HttpClassifier.isResponse(outcome)) failures.push(outcome)
      return Verdict.noOpinion
    }
    const seen: Array<number> = []
    for (const method of [0, 1]) {
      const { client, server } = yield* prepared(name, answer)
      const request = requests(server.url)[method] ?? HttpClientRequest.get(server.url)
      yield* Effect.either(HttpRetry.withRetry(client, { ...policy, opinion }).execute(request))
      seen.push(server.seen())
    }
    const [failure] = failures
    return [...(failure === undefined ? ["", ""] : [Judged.codes(failure), Judged.words(failure)]), ...seen]
  })

const half = ({ stream }: Http2Server.Arrived, then: () => void): void => {
  stream.respond({ ":status": 200 })
  stream.write("half", then)
}

type Read = readonly [wire: string, name: Name, answer: Answer, codes: string, judged: string]

const ofHalf = (
  wire: string,
  after: (arrived: Http2Server.Arrived) => void,
  codes: { readonly [name in Name]: string }
): ReadonlyArray<Read> =>
  names.map((name) => [wire, name, (arrived) => half(arrived, () => after(arrived)), codes[name], "Transient Unknown"])

/** The headers are in, so none of them says that the request was not processed. */
const halves: ReadonlyArray<Read> = [
  ...ofHalf("RST_STREAM INTERNAL_ERROR", ({ stream }) => stream.destroy(new Error("broken")), {
    undici: "ERR_HTTP2_STREAM_ERROR",
    fetch: "TypeError < ERR_HTTP2_STREAM_ERROR",
    "node:http2": "ERR_HTTP2_STREAM_ERROR"
  }),
  ...ofHalf(
    "GOAWAY with an earlier stream as its last",
    ({ session }) => session.goaway(constants.NGHTTP2_NO_ERROR, 1),
    {
      undici: "UND_ERR_SOCKET",
      fetch: "TypeError < UND_ERR_SOCKET",
      "node:http2": "ERR_HTTP2_STREAM_ERROR"
    }
  ),
  ...ofHalf("GOAWAY and the end", ({ session }) => session.destroy(), {
    undici: "UND_ERR_SOCKET",
    fetch: "TypeError < UND_ERR_SOCKET",
    "node:http2": "ERR_STREAM_PREMATURE_CLOSE"
  }),
  ...ofHalf("the end of the connection", ({ socket }) => socket.destroy(), {
    undici: "UND_ERR_SOCKET",
    fetch: "TypeError < UND_ERR_SOCKET",
    "node:http2": "ERR_STREAM_PREMATURE_CLOSE"
  })
]

it.live("knows that nothing was sent when HTTP/2 made no connection", () =>
  Effect.gen(function* () {
    const port = yield* RawServer.unused
    const client = yield* HttpClient.HttpClient
    const error = yield* Effect.flip(client.post(`https://127.0.0.1:${port}/`))
    expect([Judged.codes(error), Judged.words(error)]).toEqual([
      "ERR_HTTP2_STREAM_CANCEL < ECONNREFUSED",
      "Transient NotSent"
    ])
  }).pipe(Effect.provide(Http2Client.layer({})))
)

layer(Layer.merge(Http2Server.layer, shared), { excludeTestServices: true })("HttpRetry.withRetry, HTTP/2", (it) => {
  it.effect.each(rows.flatMap((row) => names.map((name) => [row.wire, name, row.answer, row[name]] as const)))(
    "sends again what is safe to send again: after %s, over %s",
    ([, name, answer, expected]) =>
      Effect.gen(function* () {
        expect(yield* met(name, answer)).toEqual(expected)
      }).pipe(manual)
  )

  it.effect.each(rows.filter(({ wire }) => /REFUSED_STREAM|CALM|CANCEL/.test(wire)))(
    "meets the same errors over the global fetch: $wire",
    ({ answer, fetch }) =>
      Effect.gen(function* () {
        expect(yield* met("the global fetch", answer)).toEqual(fetch)
      }).pipe(manual)
  )

  it.effect("sends no refused POST again over a fetch that may have followed a redirect", () =>
    Effect.gen(function* () {
      const refused = reset(constants.NGHTTP2_REFUSED_STREAM)
      expect(yield* met("fetch", refused)).toEqual([
        "TypeError < ERR_HTTP2_STREAM_ERROR",
        "Transient NotProcessed",
        2,
        1
      ])
    })
  )

  it.effect.each(halves)("leaves a body that breaks to its reader: by %s, over %s", ([, name, answer, codes, judged]) =>
    Effect.gen(function* () {
      const { client, server } = yield* prepared(name, answer)
      const response = yield* HttpRetry.withRetry(client, policy).get(server.url)
      const error = yield* Effect.flip(response.text)
      expect([Judged.codes(error), Judged.words(error), server.seen()]).toEqual([codes, judged, 1])
    })
  )

  it.effect("knows that nothing was sent over a connection that is going away", () =>
    Effect.gen(function* () {
      const { client, server } = yield* prepared("node:http2", (arrived) => {
        arrived.session.goaway(constants.NGHTTP2_NO_ERROR)
        half(arrived, () => undefined)
      })
      // Its body stays open, and so does the session.
      yield* client.get(server.url)
      const errors: Array<unknown> = []
      const opinion = (outcome: unknown) => {
        if (!HttpClassifier.isResponse(outcome)) errors.push(outcome)
        return Verdict.noOpinion
      }
      const post = HttpClientRequest.post(server.url)
      const response = yield* HttpRetry.withRetry(client, { ...policy, opinion }).execute(post)
      expect([Judged.codes(errors[0]), Judged.words(errors[0])]).toEqual([
        "ERR_HTTP2_GOAWAY_SESSION",
        "Transient NotSent"
      ])
      expect([response.status, server.seen()]).toEqual([200, 2])
    })
  )

  it.effect("does not conclude from a session that was destroyed that nothing was sent", () =>
    Effect.gen(function* () {
      const { client, server } = yield* prepared("node:http2", (arrived) =>
        half(arrived, () => arrived.socket.destroy())
      )
      const response = yield* client.get(server.url)
      yield* Effect.flip(response.text)
      const error = yield* Effect.flip(HttpRetry.withRetry(client, policy).post(server.url))
      expect([Judged.codes(error), Judged.words(error)]).toEqual(["ERR_HTTP2_INVALID_SESSION", "Transient Unknown"])
      expect(server.seen()).toBe(1)
    })
  )

  it.effect.each(names)(
    "resets the stream of a response that is discarded, and keeps the connection: over %s",
    (name) =>
      Effect.gen(function* () {
        for (const status of [429, 503]) {
          const streams: Array<Http2.ServerHttp2Stream> = []
          const { client, server } = yield* prepared(name, ({ stream }) => {
            streams.push(stream)
            stream.respond({ ":status": status })
            // Longer than what is read after throttling.
            stream.write(Buffer.alloc(200_000))
          })
          // The reset needs a moment: until then a pool would open another connection.
          const patient = { ...policy, backoff: Backoff.constant({ delay: 50 }) }
          const response = yield* HttpRetry.withRetry(client, patient).get(server.url)
          expect([response.status, server.seen(), server.connections()]).toEqual([200, 2, 1])
          yield* HttpServer.until(() => streams.every(({ closed }) => closed))
        }
      })
  )

  const inTime = { ...policy, attemptTimeout: AttemptTimeout.constant("10 millis") }

  it.effect.each(names)("does not repeat a POST without an answer that ran into its timeout: over %s", (name) =>
    Effect.gen(function* () {
      const { client, server } = yield* prepared(name, () => undefined)
      const error = yield* Effect.flip(HttpRetry.withRetry(client, inTime).post(server.url))
      expect([Judged.codes(error), Judged.words(error)]).toEqual(["AttemptTimedOut", "Timeout Unknown"])
      expect(String(error.cause)).toContain("attempt 1")
    })
  )

  it.effect.each(names)("sends nothing when the server's settings forbid streams: over %s", (name) =>
    Effect.gen(function* () {
      const arrivals: Array<Http2Server.Arrived> = []
      const { client, server } = yield* prepared(name, (arrived) => {
        arrivals.push(arrived)
        arrived.session.settings({ maxConcurrentStreams: 0 }, () => Http2Server.ok(arrived))
      })
      yield* Effect.flatMap(client.get(server.url), ({ text }) => text)
      const error = yield* Effect.flip(HttpRetry.withRetry(client, inTime).get(server.url))
      expect([Judged.words(error), server.seen()]).toEqual(["Timeout Unknown", 1])
      for (const { socket } of arrivals) socket.destroy()
    })
  )
})
