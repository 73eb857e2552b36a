/**
 * What becomes of requests over TLS whose connection is not made: the server sees none of them.
 */
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Backoff, Verdict } from "@effect-retry/core"
import { HttpClassifier, HttpRetry } from "@effect-retry/http"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { ConnectionOptions } from "node:tls"
import { Agent } from "undici"
import * as Certificates from "../support/Certificates.ts"
import * as Clients from "../support/Clients.ts"
import * as Http2Client from "../support/Http2Client.ts"
import * as Judged from "../support/Judged.ts"
import * as RawServer from "../support/RawServer.ts"
import * as TlsServer from "../support/TlsServer.ts"

type Options = Pick<ConnectionOptions, "ca" | "ciphers" | "maxVersion" | "servername">

const clients = {
  undici: (connect: Options) => Clients.undici(() => new Agent({ allowH2: true, connect })),
  fetch: (connect: Options) => Clients.fetch(() => new Agent({ allowH2: true, connect })),
  "node:https": (options: Options) =>
    Layer.provide(NodeHttpClient.layerWithoutAgent, NodeHttpClient.makeAgentLayer(options)),
  "node:http2": Http2Client.layer
}

type Name = keyof typeof clients

/** The servers of this file, by what they do. */
class Urls extends Context.Tag("test/Urls")<
  Urls,
  { readonly [what in "byName" | "strict" | "plain" | "closing" | "resetting"]: string }
>() {}

const urls = Layer.scoped(
  Urls,
  Effect.gen(function* () {
    const { byName, strict } = yield* TlsServer.TlsServer
    const raw = (onData: Parameters<typeof RawServer.raw>[0]) =>
      Effect.map(RawServer.raw(onData), (port) => `https://127.0.0.1:${port}/`)
    return {
      byName,
      strict,
      plain: yield* raw((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
      closing: yield* raw((socket) => socket.end()),
      resetting: yield* raw((socket) => socket.resetAndDestroy())
    }
  })
)

/** The codes of the errors, the outermost first, how the first one is judged, and how many attempts GET and POST make. */
type Met = readonly [codes: string, judged: string, gets: number, posts: number]

interface Row {
  readonly what: string
  readonly server: keyof Context.Tag.Service<typeof Urls>
  readonly options?: Options
  readonly met: { readonly [name in Name]?: Met }
}

/** What every client says, each with its own errors around it. */
const everywhere = (code: string, judged: string, gets: number, posts: number): { readonly [name in Name]: Met } => ({
  undici: [code, judged, gets, posts],
  fetch: [`TypeError < ${code}`, judged, gets, posts],
  "node:https": [code, judged, gets, posts],
  "node:http2": [`ERR_HTTP2_STREAM_CANCEL < ${code}`, judged, gets, posts]
})

const final = (code: string) => everywhere(code, `transport error ${code}`, 1, 1)

/** As OpenSSL names the alert, which it did otherwise before 3.2. */
const handshakeFailure = /^3\.[01]\./.test(process.versions.openssl)
  ? "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE"
  : "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE"

/** Node's own client has one code for all errors of OpenSSL in a handshake. */
const ofHandshake = (code: string) => ({
  ...final(code),
  "node:https": ["EPROTO", "transport error EPROTO", 1, 1] as const
})

const certificate = (kind: keyof Certificates.Kinds, what: string, code: string): Row => ({
  what,
  server: "byName",
  options: { servername: `${kind}.${Certificates.host}` },
  met: final(code)
})

const rows: ReadonlyArray<Row> = [
  certificate("expired", "a certificate that has expired", "CERT_HAS_EXPIRED"),
  certificate("notYetValid", "a certificate that is not valid yet", "CERT_NOT_YET_VALID"),
  certificate("ofAnotherHost", "a certificate of another host", "ERR_TLS_CERT_ALTNAME_INVALID"),
  certificate("selfSigned", "a certificate signed by itself", "DEPTH_ZERO_SELF_SIGNED_CERT"),
  certificate("unknownIssuer", "a certificate of an unknown issuer", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
  certificate("unknownRoot", "a chain that ends in an unknown root", "SELF_SIGNED_CERT_IN_CHAIN"),
  {
    what: "no common version of TLS",
    server: "strict",
    options: { maxVersion: "TLSv1.2" },
    met: ofHandshake("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION")
  },
  {
    what: "no common cipher",
    server: "strict",
    options: { ciphers: "TLS_AES_128_CCM_SHA256" },
    met: ofHandshake(handshakeFailure)
  },
  {
    what: "a version of TLS that the client itself has switched off",
    server: "byName",
    options: { maxVersion: "TLSv1" },
    met: final("ERR_SSL_NO_PROTOCOLS_AVAILABLE")
  },
  // Where TLS 1.3 is spoken, undici says no more than that the server has closed the connection.
  {
    what: "no certificate of the client",
    server: "strict",
    met: { "node:https": final("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED")["node:https"] }
  },
  {
    what: "no common version of HTTP",
    server: "strict",
    met: { "node:http2": final("ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL")["node:http2"] }
  },
  { what: "a server without TLS", server: "plain", met: ofHandshake("ERR_SSL_WRONG_VERSION_NUMBER") },
  {
    what: "a connection closed in the handshake",
    server: "closing",
    met: everywhere("ECONNRESET", "Transient NotSent", 2, 2)
  },
  // Only `http2` tells it from a connection that was in use.
  {
    what: "a connection reset in the handshake",
    server: "resetting",
    met: {
      ...everywhere("ECONNRESET", "Transient Unknown", 2, 1),
      "node:http2": ["ERR_HTTP2_STREAM_CANCEL < ECONNRESET", "Transient NotSent", 2, 2]
    }
  }
]

/** The errors of `fetch` do not say whether it was redirected. */
const manual = Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })

const withClient =
  (name: Name, options: Options = {}) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Certificates.certificates, ({ authority }) =>
      Effect.provide(self, clients[name]({ ca: authority, servername: Certificates.host, ...options }))
    )

/** What is seen of a GET and of a POST, each with a body if it may have one. */
const met = (url: string) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const failures: Array<ReadonlyArray<unknown>> = []
    for (const request of [HttpClientRequest.get(url), HttpClientRequest.bodyText(HttpClientRequest.post(url), "a")]) {
      const failed: Array<unknown> = []
      const opinion = (outcome: unknown) => {
        if (!HttpClassifier.isResponse(outcome)) failed.push(outcome)
        return Verdict.noOpinion
      }
      const policy = { maxAttempts: 2, backoff: Backoff.constant({ delay: 1 }), opinion }
      yield* Effect.either(HttpRetry.withRetry(client, policy).execute(request))
      failures.push(failed)
    }
    const first = failures[0]?.[0]
    return [Judged.codes(first), Judged.words(first), ...failures.map(({ length }) => length)]
  })

const all = rows.flatMap((row) =>
  (Object.keys(row.met) as Array<Name>).map((name) => [row.what, name, row, row.met[name]] as const)
)

const servers = Layer.provideMerge(urls, TlsServer.layer)

layer(servers, { excludeTestServices: true })("HttpRetry.withRetry over TLS", (it) => {
  it.effect.each(all)("knows what another connection does not cure: %s, over %s", ([, name, row, expected]) =>
    Effect.gen(function* () {
      const { [row.server]: url } = yield* Urls
      expect(yield* met(url)).toEqual(expected)
      expect((yield* TlsServer.TlsServer).seen()).toBe(0)
    }).pipe(manual, withClient(name, row.options))
  )
})
