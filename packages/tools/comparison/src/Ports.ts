/**
 * Ports of loopback on which no server listens, and how many connections to each were tried.
 *
 * Each port stays taken by a connection of our own from it: a port that was free a moment ago may be given to a server, or to an
 * outgoing connection, of any process.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import * as Net from "node:net"

export interface Ports {
  /** A port on which no server listens. */
  readonly next: () => number
  /** Connections to a port that clients of this process have begun to make. */
  readonly tried: (port: number) => number
  readonly close: () => void
}

const host = "127.0.0.1"

/** Source: https://nodejs.org/api/diagnostics_channel.html, built-in channels of net. */
const channel = "net.client.socket"

/** With `count` ports. */
export const make = async (count: number): Promise<Ports> => {
  const server = Net.createServer((socket) => socket.on("error", () => undefined)).listen(0, host)
  await once(server, "listening")
  const holders = await Promise.all(Array.from({ length: count }, () => connected(server)))
  const free = holders.flatMap(({ localPort }) => localPort ?? [])
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
    close: () => {
      unsubscribe(channel, opened)
      for (const socket of holders) socket.destroy()
      server.close()
    }
  }
}

/** Connects from a port that is bound before: one that is chosen while it connects, others may connect from as well. */
const connected = async (server: Net.Server): Promise<Net.Socket> => {
  const { port } = server.address() as Net.AddressInfo
  const socket = Net.connect({ host, port, localAddress: host })
  await once(socket, "connect")
  return socket
}
