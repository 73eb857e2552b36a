/**
 * An HTTP/2 server with TLS on loopback, which answers the first request after a `prepare` by a script, and all
 * others with 200.
 */
import { Context, Effect, Layer } from "effect"
import * as Http2 from "node:http2"
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import * as Certificates from "./Certificates.ts"

/** A request whose body is not read, and what it came over. */
export interface Arrived {
  readonly stream: Http2.ServerHttp2Stream
  readonly session: Http2.ServerHttp2Session
  readonly socket: TLSSocket
}

interface Service {
  readonly url: string
  /** Forgets the requests before, and answers the next one in this way. */
  readonly prepare: (answer: (arrived: Arrived) => void) => void
  /** How many requests have come since. */
  readonly seen: () => number
  /** Over how many connections they came. */
  readonly connections: () => number
}

export class Http2Server extends Context.Tag("test/Http2Server")<Http2Server, Service>() {}

/** The path of requests that are no part of a script, and are not counted. */
export const firstPath = "first"

export const ok = ({ stream }: Pick<Arrived, "stream">): void => {
  stream.respond({ ":status": 200 })
  stream.end("ok")
}

const make = Effect.gen(function* () {
  const { valid } = yield* Certificates.certificates
  const sockets = new Set<TLSSocket>()
  const ofSession = new WeakMap<object, TLSSocket>()
  let latest: TLSSocket | undefined
  let answer: (arrived: Arrived) => void = ok
  const seen: Array<unknown> = []
  const server = Http2.createSecureServer(valid)
  // Before the server's own listener, which makes the session: that hides its socket.
  server.prependListener("secureConnection", (socket: TLSSocket) => {
    latest = socket
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
  })
  server.on("session", (session) => {
    if (latest !== undefined) ofSession.set(session, latest)
    session.on("error", () => undefined)
  })
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined)
    if (headers[":path"] === `/${firstPath}`) return ok({ stream })
    const session = stream.session as Http2.ServerHttp2Session | undefined
    seen.push(session)
    const socket = session && ofSession.get(session)
    if (seen.length > 1 || session === undefined || socket === undefined) return ok({ stream })
    answer({ stream, session, socket })
  })
  const listening = Effect.async<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  const closed = Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })
  yield* Effect.acquireRelease(listening, () => closed)
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `https://127.0.0.1:${port}/`,
    prepare: (given: (arrived: Arrived) => void) => {
      answer = given
      seen.length = 0
    },
    seen: () => seen.length,
    connections: () => new Set(seen).size
  }
})

export const layer: Layer.Layer<Http2Server> = Layer.scoped(Http2Server, make)

/** Cuts the connection below TLS, with an RST of TCP. */
export const reset = (socket: TLSSocket): void => {
  const inner = (socket as { readonly _parent?: Socket })._parent
  if (inner === undefined) socket.destroy()
  else inner.resetAndDestroy()
}
