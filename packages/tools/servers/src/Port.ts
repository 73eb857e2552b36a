/**
 * Free ports of loopback.
 *
 * They are drawn below the ports that systems give to outgoing connections (49152 and above by RFC 6335, 32768 and above
 * on Linux). From that range, a client that connects again and again to a server that is down is given the very port that
 * it connects to sooner or later, is connected to itself, and keeps the server from coming back.
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { ServerError } from "./ServerError.ts"

const lowest = 10_240
const highest = 32_767

/** A port on which this process could listen a moment ago. Another process may take it first. */
export const free = (): Promise<number> =>
  new Promise((resolve) => {
    const port = randomInt(lowest, highest + 1)
    const probe = createServer()
    probe.once("error", () => resolve(free()))
    probe.listen({ host: "127.0.0.1", port, exclusive: true }, () => probe.close(() => resolve(port)))
  })

const tries = 20
const pauseMillis = 30

const isTaken = (error: unknown): boolean =>
  error instanceof ServerError && /Failed listening|Address already in use/i.test(error.message)

/** Runs something on a port, or on a free one, and tries again if another process has taken it. */
export const on = async <A>(
  port: number | undefined,
  start: (port: number) => Promise<A>
): Promise<{ readonly port: number; readonly started: A }> => {
  for (let left = tries; ; left--) {
    const tried = port ?? (await free())
    try {
      return { port: tried, started: await start(tried) }
    } catch (error) {
      if (left === 0 || !isTaken(error)) throw error
      if (port !== undefined) await sleep(pauseMillis)
    }
  }
}
