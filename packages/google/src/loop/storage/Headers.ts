/**
 * The headers that tell Cloud Storage which attempts belong to one operation.
 *
 * `x-goog-api-client` names the operation and counts its attempts, and `x-goog-gcs-idempotency-token` lets the server
 * recognise them. Existing values are kept: the client library's own part of `x-goog-api-client`, or a token.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import { IdempotencyKey } from "@effect-retry/http"
import * as StorageHeader from "../../accept/StorageHeader.ts"

type Request = HttpClientRequest.HttpClientRequest

/** The request of a first attempt. One key of `IdempotencyKey` is used as the token and as the id of the invocation. */
export const first = (request: Request): Effect.Effect<Request> =>
  Effect.map(IdempotencyKey.next, (key) => {
    const parts = partsOf(request)
    const isNamed = parts.some((part) => part.startsWith(StorageHeader.invocation))
    const given = request.headers[StorageHeader.token]?.trim() ?? ""
    return HttpClientRequest.setHeaders(request, {
      [StorageHeader.client]: [
        ...parts,
        ...(isNamed ? [] : [`${StorageHeader.invocation}${key}`]),
        `${StorageHeader.count}1`
      ].join(" "),
      [StorageHeader.token]: given === "" ? key : given
    })
  })

/** The request of a later attempt. */
export const counted = (request: Request, attempt: number): Request =>
  HttpClientRequest.setHeader(
    request,
    StorageHeader.client,
    [...partsOf(request), `${StorageHeader.count}${attempt}`].join(" ")
  )

/** Without the count. */
const partsOf = ({ headers }: Request): ReadonlyArray<string> =>
  StorageHeader.partsOf(headers[StorageHeader.client] ?? "").filter((part) => !part.startsWith(StorageHeader.count))
