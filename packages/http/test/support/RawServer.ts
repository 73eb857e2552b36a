/**
 * Servers on loopback that do what servers should not.
 */
import { Effect, type Scope } from "effect"
import * as Http2 from "node:http2"
import * as Net from "node:net"
import * as Loopback from "./Loopback.ts"

/** The port of a server that answers the first data in its way; open sockets are destroyed with the scope. */
export const raw = (onData: (socket: Net.Socket) => void): Effect.Effect<number, never, Scope.Scope> => {
  const server = Net.createServer((socket) => {
    socket.once("data", () => onData(socket))
  })
  return Loopback.listening(server)
}

/** A port on which no server listens. */
export const unused: Effect.Effect<number> = Effect.scoped(raw(() => undefined))

/** An HTTP/2 server without TLS that ends every stream with a code. */
export const endingStreams = (code: number): Effect.Effect<number, never, Scope.Scope> => {
  const server = Http2.createServer()
  server.on("stream", (stream) => {
    stream.on("error", () => undefined)
    stream.close(code)
  })
  return Loopback.listening(server)
}
