/**
 * A server on loopback, in the process that measures.
 */
import { Context, Effect, Layer } from "effect"
import { createServer } from "node:http"
import type { Server } from "node:http"

const listening = (server: Server): Effect.Effect<string> =>
  Effect.async((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : ""))
    })
  })

const closed = (server: Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

export const item = { id: 1, name: "loopback" }

const found = JSON.stringify(item)
const unavailable = JSON.stringify({ error: "unavailable" })

/** The headers of a server with a limit of a million requests a minute. */
const limits = { "x-ratelimit-limit": 1_000_000, "x-ratelimit-remaining": 999_999, "x-ratelimit-reset": 60 }

/**
 * Answers `/ready` at once, `/limited` with headers that state a limit, and every other request to `/flaky` with 503. It does not
 * keep a process alive.
 */
export class Loopback extends Context.Tag("@effect-retry/benchmark/Loopback")<Loopback, { readonly origin: string }>() {
  static readonly layer = (heard: (path: string | undefined) => void = () => {}): Layer.Layer<Loopback> =>
    Layer.scoped(
      Loopback,
      Effect.gen(function* () {
        let flaky = 0
        const server = createServer((request, response) => {
          heard(request.url)
          const [status, body] = request.url === "/flaky" && ++flaky % 2 === 1 ? [503, unavailable] : [200, found]
          const told = request.url === "/limited" ? limits : {}
          response.writeHead(status, { "content-type": "application/json", "content-length": body.length, ...told })
          response.end(body)
        })
        // A connection waits for as long as the other rows have their turn.
        server.keepAliveTimeout = 0
        server.on("connection", (socket) => socket.unref())
        server.unref()
        const origin = yield* Effect.acquireRelease(listening(server), () => closed(server))
        return { origin }
      })
    )
}
