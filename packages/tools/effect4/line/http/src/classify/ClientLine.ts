/**
 * What differs between Effect 3 and Effect 4 in the shape of clients, requests and their errors. This is the file of
 * Effect 4.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { property } from "@effect-retry/core/unstable/Property"

type Request = HttpClientRequest.HttpClientRequest

const reasons = ["Transport", "Encode", "InvalidUrl", "StatusCode", "Decode", "EmptyBody"] as const

/** What an error of a client says went wrong. */
export type Reason = (typeof reasons)[number]

/** An error of a client that has a response. */
export type ResponseError = HttpClientError.HttpClientError & {
  readonly reason: HttpClientError.ResponseError
  readonly response: HttpClientResponse.HttpClientResponse
}

/** Effect does not export it. */
const typeId = "~effect/http/HttpClientError"

/** Whether a value is an error of a client, whatever copy of Effect made it. */
export const isError = (value: unknown): boolean => property(value, typeId) !== undefined

/** What went wrong; `undefined` if the value is not an error of a client, or one of a later version. */
export const reasonOf = (error: unknown): Reason | undefined => {
  const tag = isError(error) ? property(property(error, "reason"), "_tag") : undefined
  return reasons.find((reason) => `${reason}Error` === tag)
}

/** Whether a client failed without a response. */
export const isRequestError = (error: unknown): error is HttpClientError.HttpClientError =>
  error instanceof HttpClientError.HttpClientError && !("response" in error.reason)

/** Whether a client failed with a response. */
export const isResponseError = (error: unknown): error is ResponseError =>
  error instanceof HttpClientError.HttpClientError && "response" in error.reason

/** The same error about another response. */
export const withResponse = (
  { reason }: ResponseError,
  response: HttpClientResponse.HttpClientResponse
): HttpClientError.HttpClientError => {
  const { [reason._tag]: Reason } = HttpClientError
  return new HttpClientError.HttpClientError({ reason: new Reason({ ...reason, response }) })
}

/** The same error about another exchange, with another cause and no text of its own. */
export const about = (
  { reason }: HttpClientError.HttpClientError,
  exchange: {
    readonly request: Request
    readonly response?: HttpClientResponse.HttpClientResponse
    readonly cause?: unknown
  }
): HttpClientError.HttpClientError => {
  const Reason = HttpClientError[reason._tag] as new (fields: typeof exchange) => HttpClientError.HttpClientErrorReason
  return new HttpClientError.HttpClientError({ reason: new Reason(exchange) })
}

export const isClient: (value: unknown) => boolean = HttpClient.isHttpClient

export const isRequest: (value: unknown) => boolean = HttpClientRequest.isHttpClientRequest

/** The target of a request; `undefined` if its URL is not valid. */
export const urlOf = (request: Request): URL | undefined => Option.getOrUndefined(HttpClientRequest.toUrl(request))

/** The parameters of a request that are not in its URL. */
export const parametersOf = ({ urlParams }: Request): ReadonlyArray<readonly [name: string, value: string]> =>
  urlParams.params.map(([name, value]) => [name, typeof value === "string" ? value : Redacted.value(value)])

/** The forms of the URL of a request that errors of a client show: they hide some of its secrets, and not all. */
export const urlsShown = ({ url }: Request): ReadonlyArray<string> => [url, UrlParams.redactUrl(url)]

export const withoutHeaders = (headers: Headers.Headers, names: ReadonlyArray<string>): Headers.Headers =>
  Headers.removeMany(headers, names)

/** The names of headers that Effect hides in a fiber. */
export const redactedNames = (fiber: Fiber.Fiber<unknown, unknown>): ReadonlyArray<string | RegExp> =>
  fiber.getRef(Headers.CurrentRedactedNames)

/** Hides the headers with matching names in the spans of an effect. */
export const hiding = <A, E, R>(self: Effect.Effect<A, E, R>, names: RegExp): Effect.Effect<A, E, R> =>
  Effect.updateService(self, Headers.CurrentRedactedNames, (known) => [...known, names])

/** Switches the spans off that clients make inside an effect. */
export const untraced = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, HttpClient.TracerDisabledWhen, () => true)

/** Effect finds the scope that aborts a request by the request's identity, and lets no other request in. */
export const scopedAs = (_request: Request, changed: Request): Request => changed
