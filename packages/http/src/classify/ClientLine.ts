/**
 * What differs between Effect 3 and Effect 4 in the shape of clients, requests and their errors.
 *
 * This is the file for Effect 3; the line for Effect 4 replaces it with its own.
 */
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as UrlParams from "@effect/platform/UrlParams"
import { property } from "@effect-retry/core/unstable/Property"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { globalValue } from "effect/GlobalValue"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

type Request = HttpClientRequest.HttpClientRequest

const ofRequests = ["Transport", "Encode", "InvalidUrl"] as const
const ofResponses = ["StatusCode", "Decode", "EmptyBody"] as const

/** What an error of a client says went wrong. */
export type Reason = (typeof ofRequests)[number] | (typeof ofResponses)[number]

/** An error of a client that has a response. */
export type ResponseError = HttpClientError.ResponseError

/** Whether a value is an error of a client, whatever copy of the platform made it. */
export const isError = (value: unknown): boolean => property(value, HttpClientError.TypeId) !== undefined

const reasonsOf: Readonly<Record<string, ReadonlyArray<Reason>>> = {
  RequestError: ofRequests,
  ResponseError: ofResponses
}

/** What went wrong; `undefined` if the value is not an error of a client, or one of a later version. */
export const reasonOf = (error: unknown): Reason | undefined => {
  if (!isError(error)) return undefined
  const tag = property(error, "_tag")
  const reason = property(error, "reason")
  const reasons = typeof tag === "string" && Object.hasOwn(reasonsOf, tag) ? reasonsOf[tag] : undefined
  return reasons?.find((known) => known === reason)
}

/** Whether a client failed without a response. */
export const isRequestError = (error: unknown): error is HttpClientError.RequestError =>
  error instanceof HttpClientError.RequestError

/** Whether a client failed with a response. */
export const isResponseError = (error: unknown): error is ResponseError =>
  error instanceof HttpClientError.ResponseError

/** The same error about another response. */
export const withResponse = (error: ResponseError, response: HttpClientResponse.HttpClientResponse): ResponseError =>
  new HttpClientError.ResponseError({ ...error, response })

/** The same error about another exchange, with another cause and no text of its own. */
export const about = (
  { reason }: HttpClientError.HttpClientError,
  {
    response,
    ...exchange
  }: {
    readonly request: Request
    readonly response?: HttpClientResponse.HttpClientResponse
    readonly cause?: unknown
  }
): HttpClientError.HttpClientError => {
  const isOfRequest = ofRequests.some((known) => known === reason)
  return isOfRequest || response === undefined
    ? new HttpClientError.RequestError({ ...exchange, reason: reason as HttpClientError.RequestError["reason"] })
    : new HttpClientError.ResponseError({ ...exchange, response, reason: reason as ResponseError["reason"] })
}

export const isClient = (value: unknown): boolean => Predicate.hasProperty(value, HttpClient.TypeId)

export const isRequest = (value: unknown): boolean => Predicate.hasProperty(value, HttpClientRequest.TypeId)

/** The target of a request; `undefined` if its URL is not valid. */
export const urlOf = ({ hash, url, urlParams }: Request): URL | undefined =>
  Option.getOrUndefined(Option.getRight(UrlParams.makeUrl(url, urlParams, hash)))

/** The parameters of a request that are not in its URL. */
export const parametersOf = ({ urlParams }: Request): ReadonlyArray<readonly [name: string, value: string]> => urlParams

/** The forms of the URL of a request that errors of a client show. */
export const urlsShown = ({ url }: Request): ReadonlyArray<string> => [url]

export const withoutHeaders = (headers: Headers.Headers, names: ReadonlyArray<string>): Headers.Headers =>
  Headers.remove(headers, names)

/** The names of headers that the platform hides in a fiber. */
export const redactedNames = (fiber: Fiber.RuntimeFiber<unknown, unknown>): ReadonlyArray<string | RegExp> =>
  fiber.getFiberRef(Headers.currentRedactedNames)

/** Hides the headers with matching names in the spans of an effect. */
export const hiding = <A, E, R>(self: Effect.Effect<A, E, R>, names: RegExp): Effect.Effect<A, E, R> =>
  Effect.locallyWith(self, Headers.currentRedactedNames, (known) => [...known, names])

/** Switches the spans off that clients make inside an effect. */
export const untraced = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(self, HttpClient.currentTracerDisabledWhen, () => true)

/** The platform finds the scope that aborts a request by the request's identity. */
const scopedRequests = globalValue(
  "@effect/platform/HttpClient/scopedRequests",
  () => new WeakMap<Request, AbortController>()
)

/** Lets the scope of a request also abort a request derived from it. */
export const scopedAs = (request: Request, changed: Request): Request => {
  const controller = scopedRequests.get(request)
  if (controller !== undefined) scopedRequests.set(changed, controller)
  return changed
}
