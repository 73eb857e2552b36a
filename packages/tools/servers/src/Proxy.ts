/**
 * A proxy on loopback before a server, which loses, holds up and cuts what goes through it: for TCP of any kind.
 *
 * Time is the machine's here, never the `Clock` of Effect.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What happens to bytes, of both directions unless it says otherwise. New connections are always accepted. */
type Mode =
  | { readonly _tag: "Forward" }
  /** They arrive so much later, in their order. */
  | { readonly _tag: "Delay"; readonly millis: number }
  /** They wait and arrive after the next change, as after a short partition. */
  | { readonly _tag: "Hold" }
  /** They are lost, as in a long partition. A connection that has lost some is cut at the next change. */
  | { readonly _tag: "Swallow" }
  /** The server does what it is asked, and its answers are lost. A connection that has lost some is cut at the next change. */
  | { readonly _tag: "SwallowAnswers" }

/** A running proxy, which forwards at first. */
export interface Proxy {
  readonly host: "127.0.0.1"
  readonly port: number
  /** How many connections are open. */
  readonly connections: () => number
  readonly forward: Effect.Effect<void>
  readonly delay: (millis: number) => Effect.Effect<void>
  readonly hold: Effect.Effect<void>
  readonly swallow: Effect.Effect<void>
  readonly swallowAnswers: Effect.Effect<void>
  /** Resets all connections that are open. */
  readonly cut: Effect.Effect<void>
}

/** Where the server is that the proxy stands before. */
export interface Target {
  readonly host: string
  readonly port: number
}

const host = "127.0.0.1"

/** One connection of a client, and the one of the proxy to the server. */
interface Pair {
  readonly changed: (mode: Mode) => void
  readonly reset: () => void
}

const pair = (client: Socket, server: Socket, modeAtFirst: Mode): Pair => {
  let mode = modeAtFirst
  let hasLost = false
  const closed = new AbortController()
  const reset = () => {
    closed.abort()
    for (const socket of [client, server]) {
      // A socket that is being shut down cannot be reset, and would stay open.
      if (socket.writableEnded) socket.destroy()
      else socket.resetAndDestroy()
    }
  }
  const pump = (from: Socket, to: Socket, isAnswer: boolean) => {
    // Bytes that are delayed, and the end of the connection behind them.
    let earlier = Promise.resolve()
    const later = (write: () => void) => {
      const dueAt = performance.now() + (mode._tag === "Delay" ? mode.millis : 0)
      const wait = () => sleep(Math.max(0, dueAt - performance.now()), undefined, { signal: closed.signal })
      earlier = earlier.then(wait).then(write, () => {})
    }
    from.on("data", (chunk) => {
      if (mode._tag === "Swallow" || (mode._tag === "SwallowAnswers" && isAnswer)) hasLost = true
      else later(() => to.write(chunk))
    })
    from.on("end", () => later(() => to.end()))
    from.on("error", reset)
    from.on("close", () => closed.signal.aborted || later(() => to.destroy()))
  }
  pump(client, server, false)
  pump(server, client, true)
  const changed = (next: Mode) => {
    if (hasLost) return reset()
    mode = next
    for (const socket of [client, server]) {
      if (mode._tag === "Hold") socket.pause()
      else socket.resume()
    }
  }
  changed(mode)
  return { changed, reset }
}

interface Running {
  readonly listener: Server
  readonly proxy: Proxy
}

const running = async (target: Target): Promise<Running> => {
  const pairs = new Set<Pair>()
  let mode: Mode = { _tag: "Forward" }
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const server = connect({ ...target, allowHalfOpen: true, noDelay: true })
    const made = pair(client, server, mode)
    pairs.add(made)
    client.once("close", () => pairs.delete(made))
  })
  listener.listen({ host, port: 0 })
  await once(listener, "listening")
  const change = (next: Mode) => {
    mode = next
    for (const { changed } of pairs) changed(next)
  }
  const changeTo = (next: Mode) => Effect.sync(() => change(next))
  return {
    listener,
    proxy: {
      host,
      port: (listener.address() as AddressInfo).port,
      connections: () => pairs.size,
      forward: changeTo({ _tag: "Forward" }),
      delay: (millis) => changeTo({ _tag: "Delay", millis }),
      hold: changeTo({ _tag: "Hold" }),
      swallow: changeTo({ _tag: "Swallow" }),
      swallowAnswers: changeTo({ _tag: "SwallowAnswers" }),
      cut: Effect.sync(() => {
        for (const { reset } of pairs) reset()
      })
    }
  }
}

/**
 * Starts a proxy before a server, for as long as the scope is open.
 *
 * ```ts
 * const proxy = yield* Proxy.start(yield* Redis.start())
 * yield* proxy.swallow
 * ```
 */
export const start = (target: Target): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => running(target)),
      ({ listener, proxy }) =>
        Effect.zipRight(
          proxy.cut,
          Effect.promise(() => new Promise<void>((resolve) => void listener.close(() => resolve())))
        )
    ),
    ({ proxy }) => proxy
  )
