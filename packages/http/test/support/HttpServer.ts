/**
 * HTTP servers on loopback that answer by a script, and know which clients are connected.
 */
import { Duration, Effect, Schedule, type Scope } from "effect"
import * as Http from "node:http"
import type { Socket } from "node:net"
import * as Loopback from "./Loopback.ts"

export interface Exchange {
  readonly request: Http.IncomingMessage
  readonly response: Http.ServerResponse
  /** The number of the request, from 1. */
  readonly count: number
}

export interface Served {
  readonly url: string
  /** The methods of the requests, in the order in which they came. */
  readonly methods: ReadonlyArray<string>
  /** The number of the connection that each of them came on, from 1. */
  readonly connections: ReadonlyArray<number>
  /** Connections that are open. */
  readonly open: () => number
}

interface Options {
  /** Called with each new connection and its number, from 1. */
  readonly onConnection?: (socket: Socket, count: number) => void
}

/** Open connections are destroyed with the scope. */
export const serve = (
  answer: (exchange: Exchange) => void,
  options: Options = {}
): Effect.Effect<Served, never, Scope.Scope> => {
  const sockets = new Map<Socket, number>()
  const methods: Array<string> = []
  const connections: Array<number> = []
  let accepted = 0
  const server = Http.createServer((request, response) => {
    response.on("error", () => undefined)
    // A body that is not read keeps a connection from being used again.
    request.resume()
    connections.push(sockets.get(request.socket) ?? 0)
    answer({ request, response, count: methods.push(request.method ?? "") })
  })
  server.on("connection", (socket) => {
    sockets.set(socket, ++accepted)
    socket.on("close", () => sockets.delete(socket))
    options.onConnection?.(socket, accepted)
  })
  return Effect.map(Loopback.url(server), (url) => ({ url, methods, connections, open: () => sockets.size }))
}

export interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  /** Bytes of the body. @default 0 */
  readonly bytes?: number
  /** Sends the body in chunks, so that its length is not announced. */
  readonly chunked?: boolean
}

/** Answers in full. */
export const respond = ({ response }: Exchange, { bytes = 0, chunked = false, headers, status }: Answer): void => {
  response.writeHead(status, { ...headers, ...(!chunked && { "content-length": String(bytes) }) })
  if (chunked) response.write(Buffer.alloc(bytes))
  response.end(chunked ? undefined : Buffer.alloc(bytes))
}

/** One answer after the other, the last one again and again. */
export const responding =
  (...answers: readonly [Answer, ...ReadonlyArray<Answer>]) =>
  (exchange: Exchange): void =>
    respond(exchange, answers[Math.min(exchange.count, answers.length) - 1] ?? answers[0])

/** Waits in real time until something holds; a test in which it never holds runs out of time. */
export const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.repeat(Effect.sync(holds), { until: (yes) => yes, schedule: Schedule.spaced(Duration.millis(2)) })
  )

/** How many sockets keep the process alive. */
export const handles = (): number =>
  process.getActiveResourcesInfo().filter((name) => /^TCP(Socket|Server|Connect)Wrap$/.test(name)).length
