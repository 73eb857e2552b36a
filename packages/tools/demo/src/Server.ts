/**
 * An HTTP server on a loopback port of its own. Each path follows a script; every request is written down.
 */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { Scripted } from "@effect-retry/testing"
import { Clock, Effect, FiberSet, type Scope } from "effect"

/**
 * What the server does with a request: it answers, or resets the connection.
 *
 * @category models
 */
export type Answer =
  | { readonly _tag: "Status"; readonly status: number; readonly headers: Http.OutgoingHttpHeaders }
  | { readonly _tag: "Reset" }

/**
 * What the server does with one request; `Scripted.hang` leaves it without an answer.
 *
 * @category models
 */
export type Step = Scripted.Step<Answer>

/**
 * A request as the server saw it.
 *
 * @category models
 */
export interface Arrival {
  /** What the request says in its header `attempt`. */
  readonly attempt: number
  /** The status of its answer, `reset`, or `hang` for none. */
  answer: string
}

/**
 * @category models
 */
export interface Server {
  readonly url: string
  /** Follows a script at a path. What comes there is added to the arrivals that it answers with. */
  readonly play: (path: string, steps: ReadonlyArray<Step>) => Effect.Effect<ReadonlyArray<Arrival>>
}

const answer = (status: number, headers: Http.OutgoingHttpHeaders = {}): Answer => ({ _tag: "Status", status, headers })

/**
 * @category constructors
 */
export const status = (status: number, options?: Scripted.Options): Step => Scripted.succeed(answer(status), options)

/**
 * @category constructors
 */
export const reset: Step = Scripted.succeed({ _tag: "Reset" })

/**
 * 429 with `Retry-After` until that time is over, counted from the first request, and 200 from then on.
 *
 * @category constructors
 */
export const throttled = (seconds: number): Step => {
  let overMillis: number | undefined
  const effect = Effect.map(Clock.currentTimeMillis, (now) => {
    overMillis ??= now + seconds * 1000
    return now < overMillis ? answer(429, { "Retry-After": String(seconds) }) : answer(200)
  })
  return { effect, times: Infinity }
}

/**
 * Listens on 127.0.0.1 until the scope closes; then drops all connections and frees the port.
 *
 * @category constructors
 */
export const make: Effect.Effect<Server, never, Scope.Scope> = Effect.gen(function* () {
  const routes = new Map<string, { readonly call: Effect.Effect<Answer>; readonly arrivals: Array<Arrival> }>()
  const run = yield* FiberSet.makeRuntime()
  const server = yield* listening((request, response) => {
    const route = routes.get(request.url ?? "")
    if (route === undefined) return void response.writeHead(404).end()
    const arrival: Arrival = { attempt: Number(request.headers["attempt"]), answer: "hang" }
    route.arrivals.push(arrival)
    run(
      Effect.map(route.call, (answer) => {
        arrival.answer = answer._tag === "Reset" ? "reset" : String(answer.status)
        if (answer._tag === "Reset") request.socket.resetAndDestroy()
        else response.writeHead(answer.status, answer.headers).end()
      })
    )
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    play: (path, steps) =>
      Effect.map(Scripted.make(steps), ({ call }) => {
        const arrivals: Array<Arrival> = []
        routes.set(path, { call, arrivals })
        return arrivals
      })
  }
})

const listening = (onRequest: Http.RequestListener): Effect.Effect<Http.Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Http.Server>((resume) => {
      const server = Http.createServer(onRequest)
      server.once("error", (cause) => resume(Effect.die(cause)))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close().closeAllConnections())
  )
