/**
 * A reader of responses that a retrying client runs inside its attempts.
 *
 * It reaches the client through the context, whatever combinators are applied after the retries. The outcome of a
 * reading is kept separately from the response, because such a combinator may still refuse the response, or request
 * another one.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/** How to read the responses of an operation. Made anew for each run; mutable. */
export interface Reading {
  /** The request as the client has prepared it. */
  readonly request: Request
  readonly read: (response: Response) => Effect.Effect<unknown, unknown, unknown>
  /** Changes the request of an attempt before it is sent. */
  readonly ask: (request: Request) => Request
  /** The outcome of each reading. */
  readonly outcomes: WeakMap<Response, Exit.Exit<unknown, unknown>>
  /** The responses that could not be read, by the error of the reader. */
  readonly broken: WeakMap<object, Response>
  /** The retrying client that does the reading. */
  reader: object | undefined
}

/** The reading that the running code requests from a retrying client. */
export class CurrentReading extends Context.Reference<CurrentReading>()("@effect-retry/http/Reading", {
  defaultValue: (): Reading | undefined => undefined
}) {}

export const make = (request: Request, read: Reading["read"], ask: Reading["ask"]): Reading => ({
  request,
  read,
  ask,
  outcomes: new WeakMap(),
  broken: new WeakMap(),
  reader: undefined
})

/**
 * The reading that a client does for a request. The outermost retrying client reads, including the answers to further
 * requests such as redirects. It does not read the answers to separate requests of combinators, such as one for a
 * token.
 */
export const claimed = (context: Context.Context<never>, client: object, request: Request): Reading | undefined => {
  const reading = Context.get(context, CurrentReading)
  if (reading === undefined) return undefined
  if (reading.reader === undefined && isSame(reading.request, request)) reading.reader = client
  return reading.reader === client ? reading : undefined
}

const isSame = (one: Request, other: Request): boolean => one.method === other.method && one.url === other.url

/** Runs the reader. Clients that it uses itself do not get the same reading. */
export const read = (reading: Reading, response: Response): Effect.Effect<unknown, unknown, unknown> =>
  Effect.provideService(
    Effect.suspend(() => reading.read(response)),
    CurrentReading,
    undefined
  )

/** A client's operation under a reading. */
export const asked = <A, E, R>(sent: Effect.Effect<A, E, R>, reading: Reading): Effect.Effect<A, E, R> =>
  Effect.provideService(sent, CurrentReading, reading)
