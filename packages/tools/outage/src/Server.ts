/**
 * The server that the fleet calls: it answers 503 during an outage, and writes down when each request came.
 */
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

/**
 * A request as the server saw it.
 *
 * @category models
 */
export interface Arrival {
  /** Since the outage was announced to the server. */
  readonly atMillis: number
  readonly isRetry: boolean
}

/**
 * When the server answers nothing but 503.
 *
 * @category models
 */
export interface Outage {
  readonly fromMillis: number
  readonly toMillis: number
}

/**
 * @category models
 */
export interface Server {
  readonly port: number
  /** Starts the time of an outage, and answers the arrivals from then on: more are added as they come. */
  readonly begin: (outage: Outage) => Effect.Effect<ReadonlyArray<Arrival>>
}

/**
 * @category destructors
 */
export const isDown = ({ fromMillis, toMillis }: Outage, atMillis: number): boolean =>
  atMillis >= fromMillis && atMillis < toMillis

/**
 * Listens on 127.0.0.1 until the scope closes.
 *
 * @category constructors
 */
export const make: Effect.Effect<Server, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
  let [beganMillis, outage, arrivals] = [0, { fromMillis: 0, toMillis: 0 }, new Array<Arrival>()]
  const server = yield* listening((request, response) => {
    const atMillis = now() - beganMillis
    arrivals.push({ atMillis, isRetry: request.headers["attempt"] !== "1" })
    response.writeHead(isDown(outage, atMillis) ? 503 : 200).end()
  })
  return {
    port: (server.address() as AddressInfo).port,
    begin: (next) =>
      Effect.sync(() => {
        ;[beganMillis, outage, arrivals] = [now(), next, []]
        return arrivals
      })
  }
})

const listening = (onRequest: Http.RequestListener): Effect.Effect<Http.Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Http.Server>((resume) => {
      const server = Http.createServer(onRequest)
      // A connection that is closed while its process stands still would lose a request.
      server.keepAliveTimeout = 0
      server.once("error", (cause) => resume(Effect.die(cause)))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close().closeAllConnections())
  )
