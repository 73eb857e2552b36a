/**
 * Servers on loopback that do what servers should not.
 */
import { Effect, type Scope } from "effect"
import * as Http2 from "node:http2"
import * as Net from "node:net"

const portOf = (server: Net.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const listening = <S extends Net.Server>(server: S): Effect.Effect<S> =>
  Effect.async((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  })

const closed = (server: Net.Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    server.close(() => resume(Effect.void))
  })

/** The port of a server that answers the first data in its way; open sockets are destroyed with the scope. */
export const raw = (onData: (socket: Net.Socket) => void): Effect.Effect<number, never, Scope.Scope> => {
  const sockets = new Set<Net.Socket>()
  const server = Net.createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.once("data", () => onData(socket))
  })
  return Effect.map(
    Effect.acquireRelease(listening(server), () =>
      Effect.suspend(() => {
        for (const socket of sockets) socket.destroy()
        return closed(server)
      })
    ),
    portOf
  )
}

/** A port on which no server listens. */
export const unused: Effect.Effect<number> = Effect.scoped(raw(() => undefined))

/** An HTTP/2 server without TLS that ends every stream with a code. */
export const endingStreams = (code: number): Effect.Effect<number, never, Scope.Scope> => {
  const sessions = new Set<Http2.ServerHttp2Session>()
  const server = Http2.createServer()
  server.on("session", (session) => sessions.add(session))
  server.on("stream", (stream) => {
    stream.on("error", () => undefined)
    stream.close(code)
  })
  return Effect.map(
    Effect.acquireRelease(listening(server), () =>
      Effect.suspend(() => {
        for (const session of sessions) session.destroy()
        return closed(server)
      })
    ),
    portOf
  )
}
