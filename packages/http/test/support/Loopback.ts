/**
 * Servers on loopback, each for as long as a scope is open.
 */
import { Effect, type Scope } from "effect"
import type * as Net from "node:net"

/** The port of a server, once it listens. Open connections are destroyed with the scope. */
export const listening = (server: Net.Server): Effect.Effect<number, never, Scope.Scope> => {
  const sockets = new Set<Net.Socket>()
  server.on("connection", (socket: Net.Socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
  })
  const opened = Effect.async<number>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
  const closed = Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })
  return Effect.acquireRelease(opened, () => closed)
}

/** The address of a server of HTTP. */
export const url = (server: Net.Server): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(listening(server), (port) => `http://127.0.0.1:${port}/`)
