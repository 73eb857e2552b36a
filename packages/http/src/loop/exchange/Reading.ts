/**
 * A reader of responses that a retrying client runs inside its attempts.
 *
 * It reaches the client through the context, and so under every combinator that stands above the retries. What became of
 * a response is kept beside the response: a combinator above may still refuse the response, or ask for another one.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/** What is to be done with the responses of an operation. Made afresh whenever the operation is run; mutable. */
export interface Reading {
  /** The request as the client has prepared it. */
  readonly request: Request
  readonly read: (response: Response) => Effect.Effect<unknown, unknown, unknown>
  /** Changes the request of an attempt that is about to be sent. */
  readonly ask: (request: Request) => Request
  /** What became of each response that was read. */
  readonly outcomes: WeakMap<Response, Exit.Exit<unknown, unknown>>
  /** The responses that could not be read, by the error of the reader. */
  readonly broken: WeakMap<object, Response>
  /** The retrying client that reads. */
  reader: object | undefined
}

/** The reading that the running code asks a retrying client for. */
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
 * The reading that a client does for a request. The outermost retrying client reads, also the answers to further
 * requests such as redirects. It does not read requests that combinators make besides, such as one for a token.
 */
export const claimed = (context: Context.Context<never>, client: object, request: Request): Reading | undefined => {
  const reading = Context.get(context, CurrentReading)
  if (reading === undefined) return undefined
  if (reading.reader === undefined && isSame(reading.request, request)) reading.reader = client
  return reading.reader === client ? reading : undefined
}

const isSame = (one: Request, other: Request): boolean => one.method === other.method && one.url === other.url

/** Runs the reader. Clients that it uses itself are not asked for the same reading. */
export const read = (reading: Reading, response: Response): Effect.Effect<unknown, unknown, unknown> =>
  Effect.provideService(
    Effect.suspend(() => reading.read(response)),
    CurrentReading,
    undefined
  )

/** A client's operation under a reading. */
export const asked = <A, E, R>(sent: Effect.Effect<A, E, R>, reading: Reading): Effect.Effect<A, E, R> =>
  Effect.provideService(sent, CurrentReading, reading)
