/**
 * A proxy on loopback that tunnels, or refuses to, by a script.
 */
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import * as Net from "node:net"

export interface Proxy {
  readonly url: string
  /** How many tunnels were asked for. */
  readonly asked: () => number
}

/** Answers each CONNECT with the next status, the last one again and again; 200 makes a tunnel. */
export const serve = (
  ...statuses: readonly [number, ...ReadonlyArray<number>]
): Effect.Effect<Proxy, never, Scope.Scope> => {
  const sockets = new Set<Net.Socket>()
  const kept = (socket: Net.Socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    return socket
  }
  let asked = 0
  const server = Http.createServer()
  server.on("connection", kept)
  server.on("connect", ({ url = "" }, client: Net.Socket) => {
    const status = statuses[Math.min(++asked, statuses.length) - 1] ?? statuses[0]
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`)
    const { hostname, port } = new URL(`http://${url}`)
    const upstream = kept(
      Net.connect(Number(port), hostname, () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n")
        upstream.pipe(client).pipe(upstream)
      })
    )
    upstream.on("close", () => client.destroy())
    client.on("close", () => upstream.destroy())
  })
  const listening = Effect.async<Http.Server>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  })
  const closed = Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })
  return Effect.map(
    Effect.acquireRelease(listening, () => closed),
    () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { url: `http://127.0.0.1:${port}/`, asked: () => asked }
    }
  )
}
