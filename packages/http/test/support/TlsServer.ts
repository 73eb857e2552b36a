/**
 * Servers with TLS on loopback: one that has a certificate of every kind, and one that clients do not get along with.
 */
import { Context, Effect, Layer } from "effect"
import * as Http2 from "node:http2"
import * as Https from "node:https"
import * as Tls from "node:tls"
import * as Certificates from "./Certificates.ts"
import * as Loopback from "./Loopback.ts"

export interface Service {
  /** Shows the certificate that the first label of the name asked for says, such as `notYetValid`. */
  readonly byName: string
  /** Takes TLS 1.3 and HTTP/1.1 alone, and asks for a certificate of the client. */
  readonly strict: string
  /** How many requests have come to both. */
  readonly seen: () => number
}

export class TlsServer extends Context.Tag("test/TlsServer")<TlsServer, Service>() {}

const listening = (server: Tls.Server) => Effect.map(Loopback.listening(server), (port) => `https://127.0.0.1:${port}/`)

const make = Effect.gen(function* () {
  const certificates = yield* Certificates.certificates
  const kinds: { readonly [name: string]: Certificates.Pair | string } = { ...certificates }
  let seen = 0
  const answer = (_: unknown, response: { end: () => unknown }): void => {
    seen += 1
    response.end()
  }
  const SNICallback: Tls.TlsOptions["SNICallback"] = (name, done) => {
    const pair = kinds[name.slice(0, name.indexOf("."))]
    done(null, Tls.createSecureContext(typeof pair === "object" ? pair : certificates.valid))
  }
  const byName = Http2.createSecureServer({ ...certificates.valid, allowHTTP1: true, SNICallback }, answer)
  const strict = Https.createServer(
    { ...certificates.valid, minVersion: "TLSv1.3", requestCert: true, rejectUnauthorized: true },
    answer
  )
  return { byName: yield* listening(byName), strict: yield* listening(strict), seen: () => seen }
})

export const layer: Layer.Layer<TlsServer> = Layer.scoped(TlsServer, make)
