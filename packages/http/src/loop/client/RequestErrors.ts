/**
 * Errors of the platform's classes for failures that did not come from the client.
 */
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { AttemptTimeout, Deadline, Retry } from "@effect-retry/core"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as ClientLine from "../../classify/ClientLine.ts"

type Request = HttpClientRequest.HttpClientRequest

/**
 * Wraps an error of the policy in a `RequestError`; returns every other error as it is.
 */
export const ofPolicy = (request: Request, error: unknown): unknown =>
  isOfPolicy(error) ? requestError(request, error) : error

const isOfPolicy = (
  error: unknown
): error is AttemptTimeout.AttemptTimedOut | Deadline.DeadlineExceeded | Retry.AttemptRefused =>
  error instanceof AttemptTimeout.AttemptTimedOut ||
  error instanceof Deadline.DeadlineExceeded ||
  error instanceof Retry.AttemptRefused

/**
 * A `RequestError` that shows no secrets of its request or its cause. Of a cause that is not the policy's, it holds
 * only what may be shown.
 *
 * The stack and the JSON show the request with which an error was made, so it is made with a redacted one. The real
 * request is set afterwards, and printing leaves it out.
 */
export const requestError = (request: Request, cause: unknown): HttpClientError.RequestError => {
  const url = Untrusted.url(request.url)
  const error = new HttpClientError.RequestError({
    request: HttpClientRequest.make(request.method as "GET")(url),
    reason: "Transport",
    ...(isOfPolicy(cause)
      ? { cause, description: cause.message }
      : Untrusted.asCause(cause, (error) => Untrusted.shown(error, () => ({ urls: ClientLine.urlsShown(request) }))))
  })
  return Object.defineProperties(error, {
    message: { value: error.message },
    request: { get: () => request, enumerable: false }
  })
}
