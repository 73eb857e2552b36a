/**
 * Reads errors from any source: an error of the AWS SDK for JavaScript (version 3 or 2), a response of any HTTP client, an
 * `HttpClientError` of `@effect/platform`, a parsed error document, or your own tagged error with a code, a status or flags.
 *
 * Second stage of the flow. Read by shape, so no SDK is imported. Errors come from outside, so reading them never throws
 * and takes bounded time. The tables of `ErrorTable` say what a code or a status means.
 *
 * @example
 * ```ts
 * import { AwsError } from "@effect-retry/aws"
 * import { Data } from "effect"
 * import * as assert from "node:assert"
 *
 * class TableBusy extends Data.TaggedError("TableBusy")<{ code: string; statusCode: number }> {}
 *
 * const read = AwsError.read(new TableBusy({ code: "ThrottlingException", statusCode: 400 }))
 * assert.deepStrictEqual(read.codes, ["ThrottlingException", "TableBusy"])
 * assert.strictEqual(read.status, 400)
 * ```
 */
import type { Observe } from "@effect-retry/core"
import * as Property from "@effect-retry/core/unstable/Property"
import * as ErrorLine from "./ErrorLine.ts"
import * as HeaderLines from "./HeaderLines.ts"

/**
 * What an error says about its call.
 *
 * @category models
 */
export interface AwsError {
  /** Error codes without namespace: fields named for a code first, then the header, the name and the tag. */
  readonly codes: ReadonlyArray<string>
  /** The status of the response, from 100 to 599. */
  readonly status: number | undefined
  /** Which side the service blames: `$fault`. */
  readonly fault: "client" | "server" | undefined
  /** Its first 1,024 characters. */
  readonly message: string
  /** Whether its model or its creator says that it is retryable. */
  readonly isRetryable: boolean
  /** Whether its model or its creator says that it is a throttle. */
  readonly isThrottling: boolean
  /** Whether the SDK for JavaScript has corrected its clock because of this response. */
  readonly isSkewCorrected: boolean
  /** Names of a failure without a response, such as `ECONNRESET`, the most specific first. */
  readonly connection: ReadonlyArray<string>
  /** The headers that matter to retries, names in lower case. */
  readonly headers: ReadonlyArray<HeaderLines.HeaderLine>
}

/**
 * Reads one error, without its causes. The fields are empty for a value that is no object.
 *
 * @category constructors
 */
export const read = (error: unknown): AwsError => {
  const response = Property.property(error, "$response") ?? Property.property(error, "response")
  const headers = HeaderLines.read(Property.property(response, "headers") ?? Property.property(error, "headers"))
  const metadata = Property.property(error, "$metadata")
  const trait = Property.property(error, "$retryable")
  const fault = Property.property(error, "$fault")
  const message = Property.text(error, "message") ?? ""
  const named = { code: Property.text(error, "code"), name: Property.text(error, "name"), tag: tagOf(error) }
  return {
    codes: codesOf(error, named, headers),
    status: statusOf(error, response, metadata),
    fault: fault === "client" || fault === "server" ? fault : undefined,
    message,
    isRetryable: Property.isObject(trait) || isTrue(error, "retryable"),
    isThrottling: isTrue(trait, "throttling") || isTrue(error, "throttling"),
    isSkewCorrected: isTrue(metadata, "clockSkewCorrected"),
    connection: connectionOf(named, message),
    headers
  }
}

/**
 * An error and its causes, the outermost first, at most `most` causes.
 *
 * An `UnknownException`, with which Effect wraps a promise's rejection, is left out.
 *
 * @category destructors
 */
export const causes = (error: unknown, most: number): ReadonlyArray<object> =>
  Property.causes(ErrorLine.isRejection(error) ? Property.property(error, "cause") : error, most)

/**
 * Reads an error and its causes, the outermost first, at most `most` causes; an `UnknownException` is left out.
 *
 * @category constructors
 */
export const chain = (error: unknown, most: number): ReadonlyArray<AwsError> => {
  const found = causes(error, most).map(read)
  return ErrorLine.isTransport(error) && found.every((each) => each.codes.length === 0) ? [...found, transport] : found
}

/** Added after the causes of a request without a response if none of them has a more specific code. */
const transport: AwsError = {
  codes: [],
  status: undefined,
  fault: undefined,
  message: "",
  isRetryable: false,
  isThrottling: false,
  isSkewCorrected: false,
  connection: ["Transport"],
  headers: []
}

/**
 * Whether it is the abort of a request, which is never retried.
 *
 * @category guards
 */
export const isAborted = (self: AwsError): boolean => self.connection.includes("AbortError")

/**
 * Whether a service answered with a failure: the error has a status from 400 on, or `$fault`.
 *
 * @category guards
 */
export const isAnswer = (self: AwsError): boolean => self.fault !== undefined || (self.status ?? 0) >= 400

/**
 * Only its code and its status in words, at most 120 characters.
 *
 * @category destructors
 */
export const describe = (self: AwsError): string =>
  [self.codes[0], self.status === undefined ? undefined : `status ${self.status}`]
    .filter((part) => part !== undefined)
    .join(", ") || "an error of a service"

/**
 * What log lines, spans and metrics show of a failed call: the service's code and status, from the first of the error
 * and its causes that has them.
 *
 * `observe: [Observe.logs(), Observe.spanEvents].map(Observe.describing(AwsError.details))`; `SdkRetryStrategy` and
 * `Sdk` do this by themselves.
 *
 * @category conversions
 */
export const details = (event: Observe.RetryEvent): Partial<Observe.Details> => {
  if (!("error" in event)) return {}
  const found = chain(event.error.original, 10).find((each) => isAnswer(each) && each.codes.length > 0)
  if (found === undefined) return {}
  return {
    outcome: describe(found),
    attributes: {
      "error.type": found.codes[0] ?? "_OTHER",
      ...(found.status !== undefined && { "http.response.status_code": found.status })
    }
  }
}

const isTrue = (value: unknown, key: string): boolean => Property.property(value, key) === true

const tagOf = (error: unknown): string | undefined => Property.text(error, "_tag")

const statusOf = (error: unknown, response: unknown, metadata: unknown): number | undefined =>
  statusIn(metadata, "httpStatusCode") ??
  statusIn(error, "statusCode") ??
  statusIn(error, "status") ??
  statusIn(response, "statusCode") ??
  statusIn(response, "status") ??
  statusIn(Property.property(error, "ResponseMetadata"), "HTTPStatusCode")

const statusIn = (value: unknown, key: string): number | undefined => {
  const found = Property.property(value, key)
  return isStatus(found) ? found : undefined
}

const isStatus = (status: unknown): status is number =>
  typeof status === "number" && Number.isInteger(status) && status >= 100 && status <= 599

/** Names of errors of JavaScript, the platform and Effect, which are no codes of a service. */
const generic = [
  "Error",
  "AggregateError",
  "DOMException",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "RequestError",
  "ResponseError",
  "SyntaxError",
  "TypeError",
  "URIError"
]

/** The names of an error, each of which may be a code or the name of a failed connection. */
interface Named {
  readonly code: string | undefined
  readonly name: string | undefined
  readonly tag: string | undefined
}

const codesOf = (error: unknown, named: Named, headers: AwsError["headers"]): ReadonlyArray<string> => {
  const given = [
    named.code,
    Property.text(error, "Code"),
    Property.text(error, "errorCode"),
    Property.text(Property.property(error, "Error"), "Code"),
    Property.text(error, "__type"),
    HeaderLines.get(headers, "x-amzn-errortype"),
    named.name,
    named.tag
  ]
  const codes: Array<string> = []
  for (const each of given) {
    const code = each === undefined ? undefined : plain(each)
    if (code !== undefined && !codes.includes(code) && !generic.includes(code)) codes.push(code)
  }
  return codes
}

/**
 * A code without the namespace before it and the address after it, as in `aws.api#SlowDown:http://…`; `undefined` for a
 * text that no service uses as a code.
 *
 * Source: https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization.
 */
const plain = (code: string): string | undefined => {
  const end = code.indexOf(":")
  const before = end < 0 ? code : code.slice(0, end)
  const name = before.slice(before.lastIndexOf("#") + 1)
  return /^[A-Za-z][\w.-]{0,99}$/.test(name) ? name : undefined
}

const connectionOf = ({ code, name, tag }: Named, message: string): ReadonlyArray<string> => {
  const refused = code === "ERR_HTTP2_STREAM_ERROR" && message.includes("NGHTTP2_REFUSED_STREAM")
  const given = [
    refused ? "NGHTTP2_REFUSED_STREAM" : undefined,
    code,
    name === "TypeError" ? `TypeError: ${message}` : undefined,
    name,
    tag
  ]
  const names: Array<string> = []
  for (const each of given) {
    if (each !== undefined && each.length <= 120 && !names.includes(each)) names.push(each)
  }
  return names
}
