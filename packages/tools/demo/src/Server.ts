/**
 * A real HTTP server on a loopback port of its own. Each path plays a script; every request is written down.
 */
import * as Http from "node:http"
import { Clock, Data, Deferred, Effect, FiberSet, Option, type Scope } from "effect"
import type { Answer, Script } from "./Script.ts"
import * as ScriptOf from "./Script.ts"

/**
 * A request as the server saw it. Times are those of the clock.
 *
 * @category models
 */
export interface Arrival {
  /** What the request says in its header `Attempt`. */
  readonly attempt: number
  /** Its `Idempotency-Key`. */
  readonly key: string | undefined
  readonly answer: Answer
  readonly atMillis: number
  /** When it was answered, or its connection closed; `None` for one that is still open. */
  readonly endedMillis: Option.Option<number>
}

/**
 * @category models
 */
export interface ScriptedServer {
  readonly url: string
  /** Plays a script at a path from its beginning. */
  readonly play: (path: string, script: Script) => Effect.Effect<void>
  /** How many requests for a path there were so far. */
  readonly count: (path: string) => Effect.Effect<number>
  /** All requests for a path so far, after a short wait for those that are about to end. */
  readonly arrivals: (path: string) => Effect.Effect<ReadonlyArray<Arrival>>
}

/**
 * The server could not listen.
 *
 * @category models
 */
export class ServerFailed extends Data.TaggedError("ServerFailed")<{ readonly cause: unknown }> {}

interface Request extends Omit<Arrival, "endedMillis"> {
  readonly ended: Deferred.Deferred<number>
}

interface Route {
  script: Script
  readonly requests: Array<Request>
}

/**
 * Listens on 127.0.0.1 until the scope closes; then drops all connections and frees the port.
 *
 * @category constructors
 */
export const make: Effect.Effect<ScriptedServer, ServerFailed, Scope.Scope> = Effect.gen(function* () {
  const routes = new Map<string, Route>()
  const clock = yield* Effect.clock
  const run = yield* FiberSet.makeRuntime()
  const handle = (request: Http.IncomingMessage, response: Http.ServerResponse) =>
    Effect.gen(function* () {
      const route = routes.get(request.url ?? "")
      if (route === undefined) return yield* respond(response, 404)
      const atMillis = yield* Clock.currentTimeMillis
      const [answer, rest] = ScriptOf.next(route.script, atMillis)
      const ended = yield* Deferred.make<number>()
      route.script = rest
      const { attempt, "idempotency-key": key } = request.headers
      route.requests.push({ attempt: Number(attempt), key: key?.toString(), answer, atMillis, ended })
      response.once("close", () => Deferred.unsafeDone(ended, Effect.succeed(clock.unsafeCurrentTimeMillis())))
      yield* give(answer, request, response)
    })
  const server = yield* listening((request, response) => void run(handle(request, response)))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`,
    play: (path, script) => Effect.sync(() => void routes.set(path, { script, requests: [] })),
    count: (path) => Effect.sync(() => routes.get(path)?.requests.length ?? 0),
    arrivals: (path) => Effect.forEach(routes.get(path)?.requests ?? [], settled, { concurrency: "unbounded" })
  }
})

/** A client that has just let go of a connection is given a moment to be noticed. */
const settled = ({ ended, ...request }: Request): Effect.Effect<Arrival> =>
  Effect.map(Effect.timeoutOption(Deferred.await(ended), "1 second"), (endedMillis) => ({ ...request, endedMillis }))

const listening = (onRequest: Http.RequestListener): Effect.Effect<Http.Server, ServerFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Http.Server, ServerFailed>((resume) => {
      const server = Http.createServer(onRequest)
      server.once("error", (cause) => resume(Effect.fail(new ServerFailed({ cause }))))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const give = (answer: Answer, request: Http.IncomingMessage, response: Http.ServerResponse): Effect.Effect<void> => {
  switch (answer._tag) {
    case "Status":
      return Effect.delay(respond(response, answer.status), answer.afterMillis)
    case "Throttle":
      return respond(response, 429, { "Retry-After": String(answer.seconds) })
    case "Reset":
      return Effect.sync(() => void request.socket.resetAndDestroy())
    case "Hang":
      return Effect.void
  }
}

const respond = (
  response: Http.ServerResponse,
  status: number,
  headers: Http.OutgoingHttpHeaders = {}
): Effect.Effect<void> => Effect.sync(() => void response.writeHead(status, headers).end(Http.STATUS_CODES[status]))
