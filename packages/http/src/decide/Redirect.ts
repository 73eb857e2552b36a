/**
 * Decides whether a failure may belong to another request, to which the first one was redirected.
 *
 * The first request was then carried out; that the other one was not sent proves nothing about it.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { property } from "@effect-retry/core/unstable/Property"
import { urlOf } from "../classify/ClientLine.ts"
import { mostCauses } from "../classify/Transport.ts"

/** How redirects are treated below a client; `undefined` if only failures show it. */
export type Mode = "follow" | "manual" | "error" | undefined

/**
 * Whether an error or a response may come from another place than the request's target.
 *
 * The request inside a failure shows it, as do a response of `fetch` and an error that names another port or host. Errors of
 * `fetch` do not, and count as redirected unless `mode` rules that out. A redirect to exactly the same place is not noticed.
 */
export const isPossible = (request: HttpClientRequest.HttpClientRequest, outcome: unknown, mode: Mode): boolean =>
  isOfAnother(request, property(outcome, "request")) ||
  isRedirected(property(outcome, "response") ?? outcome) ||
  mayBeOfFetch(property(outcome, "cause"), mode) ||
  namesAnother(request, property(outcome, "cause"))

const isOfAnother = (request: HttpClientRequest.HttpClientRequest, other: unknown): boolean =>
  other !== undefined &&
  other !== request &&
  (property(other, "method") !== request.method ||
    hrefOf(other as HttpClientRequest.HttpClientRequest) !== hrefOf(request))

const hrefOf = (request: HttpClientRequest.HttpClientRequest): string | undefined => urlOf(request)?.href

/** The URL that answered a redirected request of `fetch`; `undefined` if the request was not redirected. */
export const urlAnswering = (response: unknown): URL | undefined => {
  const url = property(redirectedSource(response), "url")
  return typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined
}

const isRedirected = (response: unknown): boolean => redirectedSource(response) !== undefined

/** The response of `fetch`, which each client wraps once. */
const redirectedSource = (response: unknown): unknown => {
  for (let inner = response, depth = 0; inner !== undefined && depth < mostWrapped; depth++) {
    const source = property(inner, "source")
    if (property(source, "redirected") === true) return source
    inner = property(inner, "original")
  }
  return undefined
}

const mostWrapped = 100

const mayBeOfFetch = (cause: unknown, mode: Mode): boolean => {
  if (mode === "manual" || mode === "error") return false
  return mode === "follow" ? cause !== undefined : property(cause, "name") === "TypeError"
}

/** Whether a connection error, found among the causes, names another host or port. */
const namesAnother = (request: HttpClientRequest.HttpClientRequest, cause: unknown): boolean => {
  const target = urlOf(request)
  for (let error = cause, depth = 0; error !== undefined && depth < mostCauses; depth++) {
    const port = property(error, "port")
    const host = property(error, "hostname")
    if (typeof port === "number" && port !== portOf(target)) return true
    if (typeof host === "string" && host !== target?.hostname) return true
    error = property(error, "cause")
  }
  return false
}

const portOf = (url: URL | undefined): number | undefined => {
  if (url === undefined) return undefined
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
}
