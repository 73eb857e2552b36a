/**
 * A server of `@grpc/grpc-js` on loopback that answers by a script, and knows the calls that came.
 */
import type { StatusCode } from "@effect-retry/grpc"
import { Effect, Schedule, type Scope } from "effect"
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from "@grpc/grpc-js"

/** What the server does with one call, after the last request of it. */
export interface Answer {
  /** @default "OK" */
  readonly code?: StatusCode.StatusCode
  /** The values of the trailer `grpc-retry-pushback-ms`. */
  readonly pushback?: ReadonlyArray<string>
  /** Sends the headers as soon as the call arrives. */
  readonly headers?: boolean
  /** How many messages come before the status. @default 1 with OK, else 0 */
  readonly messages?: number
  /** The status is sent after so many calls have arrived in all; `Infinity`: never. */
  readonly arrived?: number
  /** Sends the status as soon as the call arrives. */
  readonly early?: boolean
  /** Resets the stream before any code of the application runs: for the server of `Refusals` alone. */
  readonly refused?: boolean
}

/** One call as the server saw it: an attempt of a client. */
export interface Arrived {
  readonly path: string
  readonly metadata: Metadata
  /** `undefined` if the server does not read them. */
  readonly requests: ReadonlyArray<string> | undefined
  readonly ending: "Running" | "Answered" | "Cancelled"
}

export interface GrpcServer {
  readonly address: string
  /** In the order in which they came. */
  readonly calls: ReadonlyArray<Arrived>
  /** Waits until none of the calls is running. */
  readonly settled: Effect.Effect<void>
}

/** The same bytes in both directions: no protocol buffers are needed. */
export const serialize = (text: string): Buffer => Buffer.from(text)

export const deserialize = (bytes: Buffer): string => bytes.toString()

/** Any kind of call can be made to each of them: a server does not see the kind. */
export const paths = { call: "/test.Service/Call", other: "/test.Service/Other" } as const

/** What the last answer to a client tells: the index of the call it belongs to, from 0. */
export const text = (index: number): string => `answer ${index}`

export const trailer = "grpc-retry-pushback-ms"

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

type Running = ServerDuplexStream<string, string>

/** Calls that are open are cut with the scope. */
export const serve = (answerOf: (index: number) => Answer): Effect.Effect<GrpcServer, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(listening(answerOf), ({ server }) => Effect.sync(() => server.forceShutdown())),
    ({ calls, port }) => ({ address: `127.0.0.1:${port}`, calls, settled: settled(calls) })
  )

const listening = (answerOf: (index: number) => Answer) => {
  const calls: Array<Mutable<Arrived>> = []
  const waiting = new Set<() => boolean>()
  const server = new Server()
  for (const path of Object.values(paths)) {
    const codec = { requestSerialize: serialize, requestDeserialize: deserialize }
    const answers = { responseSerialize: serialize, responseDeserialize: deserialize }
    const definition = { path, requestStream: true, responseStream: true, ...codec, ...answers }
    const handle = (call: Running) => {
      arrive(call, path, calls, answerOf, waiting)
      for (const tryToAnswer of waiting) if (tryToAnswer()) waiting.delete(tryToAnswer)
    }
    server.addService({ [path]: definition }, { [path]: handle })
  }
  return Effect.async<{ readonly server: Server; readonly calls: typeof calls; readonly port: number }>((resume) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      resume(error === null ? Effect.succeed({ server, calls, port }) : Effect.die(error))
    )
  })
}

const arrive = (
  call: Running,
  path: string,
  calls: Array<Mutable<Arrived>>,
  answerOf: (index: number) => Answer,
  waiting: Set<() => boolean>
): void => {
  const requests: Array<string> = []
  const arrived: Mutable<Arrived> = { path, metadata: call.metadata, requests, ending: "Running" }
  const index = calls.push(arrived) - 1
  const answer = answerOf(index)
  if (answer.headers === true) call.sendMetadata(new Metadata())
  call.on("data", (request: string) => requests.push(request))
  call.on("error", () => undefined)
  call.on("cancelled", () => {
    if (arrived.ending === "Running") arrived.ending = "Cancelled"
  })
  const tryToAnswer = () => {
    if (arrived.ending !== "Running") return true
    if (calls.length < (answer.arrived ?? 0)) return false
    arrived.ending = "Answered"
    respond(call, index, answer)
    return true
  }
  if (answer.early === true) tryToAnswer()
  else call.on("end", () => tryToAnswer() || waiting.add(tryToAnswer))
}

const respond = (call: Running, index: number, { code = "OK", messages, pushback = [] }: Answer): void => {
  const metadata = new Metadata()
  for (const value of pushback) metadata.add(trailer, value)
  for (let sent = 0; sent < (messages ?? (code === "OK" ? 1 : 0)); sent++) call.write(text(index))
  if (code === "OK") call.end(metadata)
  else call.emit("error", { code: status[code], details: text(index), metadata })
}

/** In real time, but without a limit of its own: a call that never ends lets its test run out of time. */
const settled = (calls: ReadonlyArray<Arrived>): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.repeat(
      Effect.sync(() => calls.every(({ ending }) => ending !== "Running")),
      { until: (yes) => yes, schedule: Schedule.spaced("1 millis") }
    )
  )
