/**
 * Reads errors of Google APIs from any source: a response of an `@effect/platform` client with its error body, an error of
 * `@google-cloud/storage`, gaxios or `@grpc/grpc-js`, a parsed error body, or your own tagged error with a `code` or a
 * `status`.
 *
 * Read by shape, so no client library is imported. Errors come from outside, so reading them never throws and takes
 * bounded time. `GoogleClassifier` says what a status, a code or a reason means.
 *
 * @example
 * ```ts
 * import { GoogleStatus } from "@effect-retry/google"
 * import { Data } from "effect"
 * import * as assert from "node:assert"
 *
 * class TableBusy extends Data.TaggedError("TableBusy")<{ code: number }> {}
 *
 * // Numbers up to 16 are codes of gRPC, numbers from 100 on are statuses of HTTP.
 * assert.strictEqual(GoogleStatus.read(new TableBusy({ code: 14 })).code, "UNAVAILABLE")
 * assert.strictEqual(GoogleStatus.read(new TableBusy({ code: 503 })).status, 503)
 * ```
 */
import { type Observe, Retry } from "@effect-retry/core"
import * as Property from "@effect-retry/core/unstable/Property"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { Status } from "@effect-retry/grpc"
import { HttpClassifier } from "@effect-retry/http"
import * as Predicate from "effect/Predicate"
import * as ErrorBody from "./ErrorBody.ts"
import * as RetryInfo from "./RetryInfo.ts"

/**
 * What an error says about its call.
 *
 * @category models
 */
export interface GoogleStatus extends Status.Status {
  /** The HTTP status, from 100 to 599. */
  readonly status: number | undefined
  /** The `reason` of each of the `errors` in a JSON error body, such as `rateLimitExceeded`. */
  readonly reasons: ReadonlyArray<string>
  /** The wait in milliseconds from a `google.rpc.RetryInfo`. */
  readonly retryInfoMillis: number | undefined
}

/**
 * Reads one error, without its causes. The fields are empty for a value that is no object.
 *
 * @category constructors
 */
export const read = (error: unknown): GoogleStatus => {
  const bodies = bodiesOf(error)
  const { code, pushback } = Status.read(error)
  return {
    status: first(statusesOf(error), statusOf),
    code: code ?? first(bodies, (body) => Status.read(body).code),
    pushback,
    reasons: bodies.flatMap((body) =>
      Property.entries(Property.property(body, "errors"))
        .map((one) => Property.text(one, "reason"))
        .filter(Predicate.isNotUndefined)
    ),
    retryInfoMillis:
      first(bodies, RetryInfo.fromJson) ?? first(Status.trailer(error, "grpc-status-details-bin"), RetryInfo.fromBinary)
  }
}

/**
 * Reads an error and its causes, the outermost first, ten deep.
 *
 * @category constructors
 */
export const chain = (error: unknown): ReadonlyArray<GoogleStatus> => Property.causes(error).map(read)

/**
 * What log lines, spans and metrics show of a failed call: its status, and the reason or the code of the error body.
 *
 * `observe: [Observe.logs(), Observe.spanEvents].map(Observe.describing(GoogleStatus.details))`; `StorageRetry` does
 * this by itself.
 *
 * @category conversions
 */
export const details = (event: Observe.RetryEvent): Partial<Observe.Details> => {
  if (!("error" in event)) return {}
  const { original } = event.error
  const said = chain(original instanceof Retry.ResultRejected ? original.result : original)
  const status = first(said, ({ status }) => status)
  const reason = first(said, ({ reasons }) => first(reasons, Untrusted.name)) ?? first(said, ({ code }) => code)
  if (reason === undefined) return {}
  return {
    outcome: status === undefined ? reason : `${status} ${reason}`,
    attributes: {
      "error.type": reason,
      ...(status !== undefined && { "http.response.status_code": status })
    }
  }
}

/**
 * The places of an error body: in a response, in an error of gaxios, a parsed body itself, or an error with the fields
 * of `error`, like those of the client libraries.
 */
const bodiesOf = (error: unknown): ReadonlyArray<object> =>
  [
    ErrorBody.errorOf(HttpClassifier.responseOf(error)),
    Property.at(error, "response", "data", "error"),
    Property.property(error, "error"),
    error
  ].filter(Property.isObject)

const statusesOf = (error: unknown): ReadonlyArray<unknown> => {
  const { property } = Property
  const response = property(error, "response")
  return [
    property(error, "status"),
    property(error, "statusCode"),
    property(error, "code"),
    property(response, "status"),
    property(response, "statusCode"),
    Property.at(error, "error", "code")
  ]
}

const statusOf = (given: unknown): number | undefined => {
  const status = typeof given === "string" && /^[1-5]\d\d$/.test(given) ? Number(given) : given
  return typeof status === "number" && Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined
}

const first = <A, B>(all: ReadonlyArray<A>, found: (one: A) => B | undefined): B | undefined => {
  for (const one of all) {
    const value = found(one)
    if (value !== undefined) return value
  }
  return undefined
}
