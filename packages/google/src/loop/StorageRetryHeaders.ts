/**
 * The headers by which Cloud Storage knows the attempts of one operation.
 *
 * `x-goog-api-client` names the operation and counts its attempts, and `x-goog-gcs-idempotency-token` lets the server recognise
 * them. Both come to what the request has already: the client library's own part of `x-goog-api-client`, or a token.
 *
 * Source: googleapis/google-cloud-go 028979b, storage/invoke.go, `setInvocationHeaders`.
 */
import { HttpClientRequest } from "@effect/platform"
import { IdempotencyKey } from "@effect-retry/http"
import { Effect } from "effect"
import { tokenHeader } from "../decide/StorageIdempotency.ts"

type Request = HttpClientRequest.HttpClientRequest

const clientHeader = "x-goog-api-client"
const invocation = "gccl-invocation-id/"
const count = "gccl-attempt-count/"

/**
 * The request of a first attempt. The token, and the id of the invocation, are one key of `IdempotencyKey`.
 *
 * @category combinators
 */
export const first = (request: Request): Effect.Effect<Request> =>
  Effect.map(IdempotencyKey.next, (key) => {
    const parts = partsOf(request)
    const isNamed = parts.some((part) => part.startsWith(invocation))
    const given = request.headers[tokenHeader]?.trim() ?? ""
    return HttpClientRequest.setHeaders(request, {
      [clientHeader]: [...parts, ...(isNamed ? [] : [`${invocation}${key}`]), `${count}1`].join(" "),
      [tokenHeader]: given === "" ? key : given
    })
  })

/**
 * The request of a later attempt.
 *
 * @category combinators
 */
export const counted = (request: Request, attempt: number): Request =>
  HttpClientRequest.setHeader(request, clientHeader, [...partsOf(request), `${count}${attempt}`].join(" "))

/** Without the count. */
const partsOf = ({ headers }: Request): ReadonlyArray<string> =>
  (headers[clientHeader] ?? "").split(/\s+/).filter((part) => part !== "" && !part.startsWith(count))
