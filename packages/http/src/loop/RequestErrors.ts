/**
 * Errors of the platform's making, for what did not come from the client.
 */
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { AttemptTimeout, Deadline, Retry } from "@effect-retry/core"
import * as Untrusted from "@effect-retry/core/Untrusted"

type Request = HttpClientRequest.HttpClientRequest

/**
 * What the policy itself fails an operation with is the `cause` of a `RequestError`; every other error is left alone.
 *
 * @category conversions
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
 * A `RequestError` without the credentials of the request's URL in its message, nor the message of a cause that is not the
 * policy's.
 *
 * Made of a request that can be shown, since the stack has the first message, and then given its own, which is not shown.
 *
 * @category constructors
 */
export const requestError = (request: Request, cause: unknown): HttpClientError.RequestError => {
  const shown = HttpClientRequest.setUrl(request, Untrusted.url(request.url))
  const error = new HttpClientError.RequestError({
    request: shown,
    reason: "Transport",
    cause,
    ...(isOfPolicy(cause) && { description: cause.message })
  })
  return Object.defineProperties(error, {
    message: { value: error.message },
    request: { value: request, enumerable: false }
  })
}
