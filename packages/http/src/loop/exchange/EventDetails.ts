/**
 * What observers see of a request and its attempts: method, host, status or kind of error, and the route that the
 * program names, with OpenTelemetry's names. Never user info, paths, query values, headers or bodies.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/, "HTTP client span", read 2026-11-22.
 */
import { AttemptTimeout, Deadline, type Observe, Retry } from "@effect-retry/core"
import type { ErasedPolicy } from "@effect-retry/core/unstable/PolicyRecord"
import * as Readable from "@effect-retry/core/unstable/Readable"
import * as Property from "@effect-retry/core/unstable/Property"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as ClientLine from "../../classify/ClientLine.ts"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import * as Transport from "../../classify/Transport.ts"
import * as Redirect from "../../decide/Redirect.ts"
import * as Known from "./Known.ts"
import type { Exchange, Request, Response } from "./Exchange.ts"

type Details = Observe.Details
type Attributes = Details["attributes"]

/**
 * The observers of one operation: their events describe its requests, and show errors without credentials.
 */
export const observing = (
  exchange: Exchange,
  observers: NonNullable<ErasedPolicy["observe"]>,
  route: string | undefined
): NonNullable<ErasedPolicy["observe"]> => {
  if (observers.length === 0) return observers
  const called = { request: exchange.request, route }
  return observers.map((observer) => (event) => observer(described(exchange, called, event)))
}

/** What was called: the request as the caller made it, and the template of its path, if there is one. */
interface Called {
  readonly request: Request
  readonly route: string | undefined
}

const described = (exchange: Exchange, called: Called, event: Observe.RetryEvent): Observe.RetryEvent => {
  // Read at the time of this event: later attempts change them.
  const { answered, isSent, latest, request, sendings } = exchange
  const resendings = isSent ? sendings - 1 : 0
  if (!("error" in event)) {
    const attempt = { request, resendings, response: event._tag === "Succeeded" ? latest : undefined }
    return { ...event, details: () => detailsOf(called, event, attempt) }
  }
  const { original } = event.error
  const response = responseOf(original) ?? (answered ? latest : undefined)
  const error = Untrusted.shown(original, Known.of(exchange, original, response !== undefined))
  const attempt = { request, resendings, response, error }
  return { ...event, error, details: () => detailsOf(called, event, attempt) }
}

/** How the latest attempt ended: with a response, with an error, with both, or not yet. */
interface Attempt {
  readonly request: Request
  /** How often the request had been sent again; 0 for a first attempt, and for one that was not sent. */
  readonly resendings: number
  readonly response: Response | undefined
  readonly error?: Untrusted.ShownError
}

const detailsOf = ({ request: called, route }: Called, event: Observe.RetryEvent, attempt: Attempt): Details => {
  const { key } = event.details()
  const host = ClientLine.urlOf(called)?.host ?? ""
  const address = host + (route ?? "")
  const { errorType, outcome, status } = endOf(attempt)
  const method = methodOf(called)
  return {
    subject: address === "" ? method : `${method} ${address}`,
    outcome,
    key: key === "" ? host : key,
    attributes: {
      ...ofRequest(attempt),
      ...(route !== undefined && { "url.template": route }),
      ...(status !== undefined && { "http.response.status_code": status }),
      ...(errorType !== undefined && { "error.type": errorType }),
      ...(attempt.resendings > 0 && { "http.request.resend_count": attempt.resendings })
    },
    tags: {
      "http.request.method": knownMethod(called),
      "http.response.status_class": status === undefined ? "none" : `${Math.floor(status / 100)}xx`,
      "url.template": route ?? "none"
    }
  }
}

/** The response to an attempt, even if it is inside an error. */
const responseOf = (error: unknown): Response | undefined =>
  HttpClassifier.responseOf(error instanceof Retry.ResultRejected ? error.result : error)

/** The methods that the conventions list: RFC 9110, section 9, and RFC 5789. */
const methods = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]

const knownMethod = ({ method }: Request): string => (methods.includes(method) ? method : "_OTHER")

/** Another method is shown only if it looks like one. */
const methodOf = ({ method }: Request): string => (/^[A-Za-z-]{1,20}$/.test(method) ? method : "HTTP")

const ofRequest = ({ error, request, response }: Attempt): Attributes => {
  const own = (Property.property(response ?? error?.original, "request") as Request | undefined) ?? request
  const method = knownMethod(own)
  const url = Redirect.urlAnswering(response) ?? ClientLine.urlOf(own)
  return {
    "http.request.method": method,
    ...(method !== own.method && { "http.request.method_original": methodOf(own) }),
    ...(url !== undefined && {
      "server.address": url.hostname.replace(/^\[(.*)\]$/, "$1"),
      ...(url.port !== "" && { "server.port": Number(url.port) }),
      "url.scheme": url.protocol.slice(0, -1)
    })
  }
}

interface End {
  readonly outcome: string
  readonly status?: number | undefined
  readonly errorType?: string | undefined
}

const endOf = ({ error, response }: Attempt): End => {
  const original = error?.original
  const isAnswer = error === undefined || original instanceof Retry.ResultRejected
  if (response === undefined) return isAnswer ? { outcome: "" } : ofError(error)
  const status = statusOf(response)
  const text = status === undefined ? unknownStatus : String(status)
  const isStatus = ClientLine.reasonOf(original) === "StatusCode"
  if (isAnswer || isStatus) return { outcome: text, status, errorType: ofStatus(status) }
  const { errorType, outcome } = ofError(error)
  return { outcome: `${text}, ${outcome}`, status, errorType }
}

const unknownStatus = "an unknown status"

const ofStatus = (status: number | undefined): string | undefined => {
  if (status === undefined) return "_OTHER"
  return status < 400 ? undefined : String(status)
}

const statusOf = (response: Response): number | undefined => {
  const status = Property.property(response, "status")
  return typeof status === "number" && Number.isInteger(status) && status >= 100 && status < 600 ? status : undefined
}

const ofError = (shown: Untrusted.ShownError): End => {
  const error = shown.original
  if (error instanceof AttemptTimeout.AttemptTimedOut) {
    return { outcome: `timeout of ${Readable.time(error.after)}`, errorType: "timeout" }
  }
  if (error instanceof Deadline.DeadlineExceeded) {
    return { outcome: `not done within ${Readable.time(error.within)}`, errorType: "timeout" }
  }
  const code = Transport.codeOf(error)
  const reason = ClientLine.reasonOf(error)
  return {
    outcome: reason === undefined ? Untrusted.outcome(shown) : ofClient(reason, code),
    errorType: code ?? shown.name
  }
}

const ofClient = (reason: ClientLine.Reason, code: string | undefined): string => {
  switch (reason) {
    case "Transport":
      return code ?? "transport error"
    case "Encode":
      return "the body could not be encoded"
    case "InvalidUrl":
      return "the URL is not valid"
    case "Decode":
      return code ?? "could not be decoded"
    case "EmptyBody":
      return "has no body"
    case "StatusCode":
      return unknownStatus
  }
}
