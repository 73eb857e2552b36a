/**
 * Ports of loopback on which no server listens, and how many connections to each were tried.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import * as Net from "node:net"

export interface Ports {
  /** A port on which no server listens. */
  readonly next: () => number
  /** Connections to a port that clients of this process have begun to make. */
  readonly tried: (port: number) => number
  readonly close: () => void
}

/** Source: https://nodejs.org/api/diagnostics_channel.html, built-in channels of net. */
const channel = "net.client.socket"

/** With `count` ports. */
export const make = async (count: number): Promise<Ports> => {
  const servers = await Promise.all(Array.from({ length: count }, listen))
  const free = servers.map((server) => (server.address() as Net.AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  const counts = new Map<number, number>()
  const opened = (message: unknown) => {
    const { socket } = message as { readonly socket: Net.Socket }
    socket.once("connectionAttempt", (_, port) => counts.set(port, (counts.get(port) ?? 0) + 1))
  }
  subscribe(channel, opened)
  return {
    next: () => {
      const port = free.pop()
      if (port === undefined) throw new Error(`there are only ${count} ports`)
      return port
    },
    tried: (port) => counts.get(port) ?? 0,
    close: () => void unsubscribe(channel, opened)
  }
}

const listen = (): Promise<Net.Server> =>
  new Promise((resolve) => {
    const server = Net.createServer().listen(0, "127.0.0.1", () => resolve(server))
  })
