/**
 * The JSON API of Cloud Storage on loopback, with the Retry Test API, for tests and examples.
 *
 * It keeps everything in memory and asks for no credentials. Requests that carry the header `x-retry-test-id` fail as
 * their retry test says. `state` is what the server has stored, to be looked at after a test.
 *
 *     const emulator = yield* Emulator.start({ buckets: ["pictures"] })
 *     const { id } = emulator.retryTest({ "storage.objects.insert": ["apply-then-reset-connection"] })
 *
 * Where the official bench answers otherwise than the service, so does this: deletions with 200 and no body, an empty object
 * without its `size`, a whole object with a `Content-Range`.
 *
 * Sources: https://cloud.google.com/storage/docs/json_api, and https://github.com/googleapis/storage-testbench at e8c8507.
 */
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Buckets from "./Buckets.ts"
import { type Logged, serve } from "./Exchange.ts"
import * as RetryTests from "./RetryTests.ts"
import * as Routes from "./Routes.ts"
import * as State from "./State.ts"

export interface Emulator {
  /** Without a slash at its end: `http://127.0.0.1:9000`. */
  readonly url: string
  readonly state: State.State
  /** All requests but those of the Retry Test API, in the order in which they came. */
  readonly requests: ReadonlyArray<Logged>
  /** Creates a retry test, as `POST /retry_test` does. */
  readonly retryTest: (instructions: State.Instructions) => State.RetryTest
  /** What is left of a retry test. */
  readonly remaining: (id: string) => State.RetryTest
}

interface Options {
  /** Empty buckets that are there from the start. */
  readonly buckets?: ReadonlyArray<string>
  /** How long a second of a stall lasts. @default 1000 */
  readonly millisPerSecond?: number
}

/** Starts an emulator on a free port; it is closed with the scope. */
export const start = (options: Options = {}): Effect.Effect<Emulator, never, Scope.Scope> =>
  Effect.map(Effect.acquireRelease(listening(options), closed), ({ requests, server, state }) => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    requests,
    retryTest: (instructions) => RetryTests.create(state, Routes.methods, instructions),
    remaining: (id) => RetryTests.find(state, id)
  }))

interface Running {
  readonly server: Http.Server
  readonly state: State.State
  readonly requests: Array<Logged>
}

const listening = ({ buckets = [], millisPerSecond = 1000 }: Options): Effect.Effect<Running> =>
  Effect.async<Running>((resume) => {
    const [state, requests] = [State.make(), new Array<Logged>()]
    for (const name of buckets) Buckets.create(state, name)
    const server = Http.createServer(serve({ state, requests, millisPerSecond }))
    // A client that uses a connection while it is closed as idle would meet a fault that no test asked for.
    server.keepAliveTimeout = 0
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, state, requests })))
  })

const closed = ({ server }: Running): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
