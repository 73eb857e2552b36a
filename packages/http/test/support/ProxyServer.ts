/**
 * A proxy on loopback that tunnels, or refuses to, by a script.
 */
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import * as Net from "node:net"
import * as Loopback from "./Loopback.ts"

interface Proxy {
  readonly url: string
  /** How many tunnels were asked for. */
  readonly asked: () => number
}

/** Answers each CONNECT with the next status, the last one again and again; 200 makes a tunnel. */
export const serve = (
  ...statuses: readonly [number, ...ReadonlyArray<number>]
): Effect.Effect<Proxy, never, Scope.Scope> => {
  let asked = 0
  const server = Http.createServer()
  server.on("connect", ({ url = "" }, client: Net.Socket) => {
    const status = statuses[Math.min(++asked, statuses.length) - 1] ?? statuses[0]
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`)
    const { hostname, port } = new URL(`http://${url}`)
    const upstream = Net.connect(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n")
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on("error", () => undefined)
    upstream.on("close", () => client.destroy())
    client.on("close", () => upstream.destroy())
  })
  return Effect.map(Loopback.url(server), (url) => ({ url, asked: () => asked }))
}
