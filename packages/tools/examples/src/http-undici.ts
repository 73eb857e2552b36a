// #region undici
import { Connections, HttpRetry } from "@effect-retry/http"
import { NodeHttpClient } from "@effect/platform-node"
import { HttpClient } from "@effect/platform"
import { Effect, Layer } from "effect"
import { Agent } from "undici"

/** One connection, which is closed after a transient status and used again after throttling. */
const dispatcher = Layer.scoped(
  NodeHttpClient.Dispatcher,
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ connections: 1 }).compose(Connections.undiciInterceptor())),
    (agent) => Effect.promise(() => agent.close())
  )
)

const layer = Layer.provide(NodeHttpClient.layerUndiciWithoutDispatcher, dispatcher)

const client: Effect.Effect<HttpClient.HttpClient, never, HttpClient.HttpClient> = Effect.map(
  HttpClient.HttpClient,
  HttpRetry.withRetry(HttpRetry.standard)
)
// #endregion

import * as Http from "node:http"

/** A server on loopback; each answer has the number of the connection that the request came over. */
const server = Effect.acquireRelease(
  Effect.async<Http.Server>((resume) => {
    const statuses = [503, 429, 200]
    const sockets: Array<unknown> = []
    const listening = Http.createServer((request, response) => {
      if (!sockets.includes(request.socket)) sockets.push(request.socket)
      response.writeHead(statuses.shift() ?? 200, { connection: "keep-alive", "x-sockets": String(sockets.length) })
      response.end("a".repeat(10_000))
    }).listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
  }),
  (listening) => Effect.sync(() => void listening.close())
)

export const live = true

export const program = Effect.gen(function* () {
  const address = (yield* server).address()
  const port = typeof address === "object" ? address?.port : address
  const response = yield* (yield* client).get(`http://127.0.0.1:${port}/`)
  yield* response.text
  return { status: response.status, connections: response.headers["x-sockets"] }
}).pipe(Effect.scoped, Effect.provide(layer))

/** The 503 has cost a connection, the 429 has not. */
export const expected = { status: 200, connections: "2" }
