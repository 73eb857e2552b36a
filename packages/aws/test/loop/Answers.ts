/**
 * A server on loopback that answers by a script, and knows the connections of its requests.
 */
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import type { Socket } from "node:net"
import * as Loopback from "../../../http/test/support/Loopback.ts"

export interface Answer {
  readonly status: number
  /** The value of `x-amzn-errortype`. */
  readonly code?: string
  readonly body?: string
}

export interface Served {
  readonly url: string
  /** The number of the connection that each request came on, from 1. */
  readonly connections: ReadonlyArray<number>
  readonly headers: ReadonlyArray<Http.IncomingHttpHeaders>
}

/** One answer after the other, the last one again and again. Open connections are destroyed with the scope. */
export const serve = (
  ...answers: readonly [Answer, ...ReadonlyArray<Answer>]
): Effect.Effect<Served, never, Scope.Scope> => {
  const numbers = new Map<Socket, number>()
  const connections: Array<number> = []
  const headers: Array<Http.IncomingHttpHeaders> = []
  const server = Http.createServer((request, response) => {
    const { body = "{}", code, status } = answers[Math.min(headers.length, answers.length - 1)] ?? answers[0]
    connections.push(numbers.get(request.socket) ?? 0)
    headers.push(request.headers)
    request.resume()
    const type = { "content-type": "application/x-amz-json-1.0" }
    response.writeHead(status, { ...type, ...(code !== undefined && { "x-amzn-errortype": code }) }).end(body)
  })
  // An idle connection is not closed under a client that is slow to use it.
  server.keepAliveTimeout = 0
  server.on("connection", (socket) => {
    numbers.set(socket, numbers.size + 1)
  })
  return Effect.map(Loopback.url(server), (url) => ({ url, connections, headers }))
}
