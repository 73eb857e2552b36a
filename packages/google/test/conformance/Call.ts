/**
 * Library calls, as requests that any client of HTTP can send.
 */
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Effect } from "effect"
import type { Fixture, Need } from "./Fixture.ts"

/** What the client of one call is given. */
export interface Given {
  readonly fixture: Fixture
  /** Whether the call carries its precondition. */
  readonly precondition: boolean
  /** The faults that the call will meet. */
  readonly instructions: ReadonlyArray<string>
}

export interface Call {
  readonly method: string
  /** Which of several calls of the method it is. */
  readonly form: string
  readonly needs: ReadonlyArray<Need>
  /** It changes nothing that other calls need. */
  readonly reads: boolean
  /** Fails when the call does. */
  readonly run: (client: HttpClient.HttpClient, given: Given) => Effect.Effect<void, unknown>
}

export type Request = HttpClientRequest.HttpClientRequest

/** Reads the whole answer, and fails with one that is no success. */
export const read = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<void, unknown> =>
  Effect.flatMap(response.text, (text) =>
    response.status >= 200 && response.status < 300
      ? Effect.void
      : Effect.fail(new Error(`status ${response.status}: ${text}`))
  )

export const send = (client: HttpClient.HttpClient, request: Request) => Effect.flatMap(client.execute(request), read)

type Options = { readonly form?: string; readonly reads?: boolean }

/** A call of one request. */
export const call = (
  method: string,
  needs: ReadonlyArray<Need>,
  request: (given: Given) => Request,
  { form = "", reads = false }: Options = {}
): Call => ({
  method: `storage.${method}`,
  form,
  needs,
  reads,
  run: (client, given) => send(client, request(given))
})

export const reading = (
  method: string,
  needs: ReadonlyArray<Need>,
  path: (fixture: Fixture) => string,
  form = ""
): Call =>
  call(method, needs, ({ fixture }) => HttpClientRequest.get(`${fixture.url}${path(fixture)}`), { form, reads: true })

export const withJson = (request: Request, body: unknown): Request => HttpClientRequest.bodyUnsafeJson(request, body)

/** A parameter that is there if preconditions are. */
export const parameter = (precondition: boolean, name: string, value: string) =>
  HttpClientRequest.setUrlParams(precondition ? { [name]: value } : {})

export const bucketPath = ({ bucket }: Fixture): string => `/storage/v1/b/${bucket}`
export const objectPath = (fixture: Fixture): string => `${bucketPath(fixture)}/o/${fixture.object}`
