/**
 * What operations leave behind, in bytes, sockets and listeners: of operations that succeed at once or after retries, and
 * of others that are interrupted in an attempt or in a wait. Nothing here depends on how long anything takes.
 */
import type { HttpClient } from "@effect/platform"
import { Backoff } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { expect } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import { getEventListeners } from "node:events"
import * as Net from "node:net"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type * as Clients from "./Clients.ts"
import { until } from "./HttpServer.ts"

/** Compiled code, and what clients keep for once, grow in the first operations, which are not measured. */
const first = { operations: 3_000, interruptions: 200 }
const measured = { operations: 3_000, interruptions: 200 }
const concurrency = 50

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** All but compiled code. What is finalized is let go of by the next collection. */
const heapUsed = Effect.gen(function* () {
  for (let i = 0; i < 4; i++) {
    collect()
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => !space_name.startsWith("code"))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)
})

const noContent = "HTTP/1.1 204 No Content\r\n\r\n"
const unavailable = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}"
const throttled = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n\r\n{}"

/** Every tenth request is refused in one way, and another one in the other. */
const mixed = Array.from({ length: 10 }, (_, i) => (i === 2 ? unavailable : i === 6 ? throttled : noContent))

/** `node:http` would take most of the time. A request comes in one piece: it is short, and its client waits for the answer. */
const serve: Effect.Effect<Served, never, Scope.Scope> = Effect.suspend(() => {
  const sockets = new Set<Net.Socket>()
  const seen = { requests: 0, held: 0, sockets: 0 }
  const server = Net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    seen.sockets = Math.max(seen.sockets, sockets.size)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => undefined)
    socket.on("data", (chunk) => {
      const path = chunk[5]
      if (path === "h".charCodeAt(0)) seen.held++
      else socket.write(path === "d".charCodeAt(0) ? unavailable : (mixed[seen.requests++ % mixed.length] ?? noContent))
    })
  })
  const listening = Effect.async<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  const closed = Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })
  return Effect.as(
    Effect.acquireRelease(listening, () => closed),
    { seen, open: () => sockets.size, url: () => `http://127.0.0.1:${(server.address() as Net.AddressInfo).port}` }
  )
})

interface Served {
  readonly seen: { readonly requests: number; readonly held: number; readonly sockets: number }
  readonly open: () => number
  readonly url: () => string
}

/** Sends a GET and reads the body of its response. */
export interface Get {
  (url: string): Effect.Effect<string, unknown>
}

export interface Subject {
  readonly get: Get
  /** The same, if an interruption is to reach the request. */
  readonly interruptible: Get
  /** Waits an hour before each retry, and tells when it begins to wait. */
  readonly patient: (waits: () => void) => Get
  /** A signal of the caller that several operations share. */
  readonly shared?: AbortSignal
}

export const quick = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: 0 }) }

export const patiently = (waits: () => void) => ({
  ...quick,
  backoff: Backoff.constant({ delay: "1 hour" }),
  observe: [(event: { readonly _tag: string }) => Effect.sync(() => void (event._tag === "RetryScheduled" && waits()))]
})

const run = (get: Get, url: string, times: number) =>
  Effect.withTracerEnabled(
    Effect.forEach(Array.from({ length: times }), () => get(url), { concurrency, discard: true }),
    false
  )

/** Starts operations, and interrupts them when all have come to where `arrived` counts them. */
const interrupting = (get: Get, url: string, times: number, arrived: () => number) =>
  Effect.gen(function* () {
    for (let done = 0; done < times; done += concurrency) {
      const before = arrived()
      const fibers = yield* Effect.forEach(Array.from({ length: concurrency }), () => Effect.forkDaemon(get(url)))
      yield* until(() => arrived() >= before + concurrency)
      yield* Fiber.interruptAll(fibers)
    }
  })

const listeners = (signal: AbortSignal | undefined): number =>
  process.eventNames().reduce((sum, event) => sum + process.listenerCount(event), 0) +
  (signal ? getEventListeners(signal, "abort").length : 0)

/** Node.js warns of emitters and signals that have many listeners for one event. */
const warned = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const warnings: Array<string> = []
      const hear = ({ name }: Error): void => void warnings.push(name)
      process.on("warning", hear)
      return { warnings, hear }
    }),
    ({ hear }) => Effect.sync(() => process.off("warning", hear))
  ),
  ({ warnings }) => warnings
)

/** An object left of each measured operation takes more. */
const mostBytes = 100 * measured.operations

/** What clients keep for once may also grow later, but what operations leave grows in every round. */
const mostRounds = 4

/** Expects that a client keeps no bytes, sockets and listeners of its operations. */
export const expectNothingKept = (client: Clients.Client, made: Effect.Effect<Subject, never, HttpClient.HttpClient>) =>
  Effect.gen(function* () {
    const server = yield* serve
    const warnings = yield* warned
    yield* Effect.gen(function* () {
      const { get, interruptible, patient, shared } = yield* made
      let waiting = 0
      const waits = patient(() => waiting++)
      const work = ({ interruptions, operations }: typeof first) =>
        Effect.gen(function* () {
          yield* run(get, `${server.url()}/mixed`, operations)
          yield* interrupting(interruptible, `${server.url()}/held`, interruptions / 2, () => server.seen.held)
          yield* interrupting(waits, `${server.url()}/down`, interruptions / 2, () => waiting)
        })
      yield* work(first)
      const heard = listeners(shared)
      const grown = Effect.gen(function* () {
        const before = yield* heapUsed
        yield* work(measured)
        return (yield* heapUsed) - before
      })
      let leastGrown = Infinity
      for (let round = 1; round <= mostRounds && leastGrown >= mostBytes; round++) {
        leastGrown = Math.min(leastGrown, yield* grown)
      }
      expect(leastGrown).toBeLessThan(mostBytes)
      expect(listeners(shared)).toBe(heard)
      expect(server.seen.requests).toBeGreaterThan(1.1 * (first.operations + measured.operations))
      expect(server.seen.sockets).toBeLessThanOrEqual(4 * concurrency)
    }).pipe(Effect.provide(client))
    yield* until(() => server.open() === 0)
    expect(warnings).toEqual([])
  })
