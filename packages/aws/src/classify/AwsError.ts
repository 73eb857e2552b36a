/**
 * What an error says about itself, whatever made it: an error of the AWS SDK for JavaScript (version 3 or 2), a response
 * of any HTTP client, an `HttpClientError` of `@effect/platform`, a parsed error document, or a tagged error of the
 * caller's own with a code, a status or flags.
 *
 * First stage of the flow. Read by shape, so no SDK is imported. Errors come from outside: reading them never throws and
 * is bounded. What a code or a status means is for the tables of `ErrorTable`.
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
import * as HeaderLines from "./HeaderLines.ts"
import * as Untrusted from "./Untrusted.ts"

/**
 * One error, read.
 *
 * @category models
 */
export interface AwsError {
  /** Error codes without namespace: fields named for a code first, then the header, the name and the tag. */
  readonly codes: ReadonlyArray<string>
  /** Of the response, from 100 to 599. */
  readonly status: number | undefined
  /** Whose fault the service says it is: `$fault`. */
  readonly fault: "client" | "server" | undefined
  /** Its first 1,024 characters. */
  readonly message: string
  /** Whether its model, or its maker, says that it is retryable. */
  readonly isRetryable: boolean
  /** Whether its model, or its maker, says that it is a throttle. */
  readonly isThrottling: boolean
  /** Whether the SDK for JavaScript has corrected its clock because of this response. */
  readonly isSkewCorrected: boolean
  /** Names of a failure without a response, such as `ECONNRESET`, the most telling first. */
  readonly connection: ReadonlyArray<string>
  /** Those that matter to retries, names in lower case. */
  readonly headers: ReadonlyArray<HeaderLines.HeaderLine>
}

/**
 * Reads one error, without its causes. A value that is no object has nothing to say.
 *
 * @category constructors
 */
export const read = (error: unknown): AwsError => {
  const response = Untrusted.property(error, "$response") ?? Untrusted.property(error, "response")
  const headers = HeaderLines.read(Untrusted.property(response, "headers") ?? Untrusted.property(error, "headers"))
  const metadata = Untrusted.property(error, "$metadata")
  const trait = Untrusted.property(error, "$retryable")
  const fault = Untrusted.property(error, "$fault")
  const message = Untrusted.text(error, "message") ?? ""
  return {
    codes: codesOf(error, headers),
    status: statusOf(error, response, metadata),
    fault: fault === "client" || fault === "server" ? fault : undefined,
    message,
    isRetryable: Untrusted.isObject(trait) || Untrusted.property(error, "retryable") === true,
    isThrottling: isTrue(trait, "throttling") || isTrue(error, "throttling"),
    isSkewCorrected: isTrue(metadata, "clockSkewCorrected"),
    connection: connectionOf(error, message),
    headers
  }
}

/**
 * Reads an error and its causes, the outermost first, at most `causes` of them.
 *
 * An `UnknownException`, by which Effect wraps what a promise rejected with, is left out.
 *
 * @category constructors
 */
export const chain = (error: unknown, causes: number): ReadonlyArray<AwsError> => {
  const found = Untrusted.causes(error, causes).map(read)
  return isTransport(error) && found.every((each) => each.codes.length === 0) ? [...found, transport] : found
}

/** Stands at the end of the causes of a request without a response, none of which has a code that says more. */
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
 * Whether it is the abort of a request: never retried, whatever else it says.
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
 * Its code and its status in words, at most 120 characters, with nothing else of it.
 *
 * @category destructors
 */
export const describe = (self: AwsError): string =>
  [self.codes[0], self.status === undefined ? undefined : `status ${self.status}`]
    .filter((part) => part !== undefined)
    .join(", ") || "an error of a service"

const isTrue = (value: unknown, key: string): boolean => Untrusted.property(value, key) === true

/** A request of `@effect/platform` that got no response. */
const isTransport = (error: unknown): boolean =>
  Untrusted.property(error, "_tag") === "RequestError" && Untrusted.property(error, "reason") === "Transport"

const statusOf = (error: unknown, response: unknown, metadata: unknown): number | undefined =>
  [
    Untrusted.property(metadata, "httpStatusCode"),
    Untrusted.property(error, "statusCode"),
    Untrusted.property(error, "status"),
    Untrusted.property(response, "statusCode"),
    Untrusted.property(response, "status"),
    Untrusted.property(Untrusted.property(error, "ResponseMetadata"), "HTTPStatusCode")
  ].find(isStatus)

const isStatus = (status: unknown): status is number =>
  typeof status === "number" && Number.isInteger(status) && status >= 100 && status <= 599

/** Names of errors of the language, of the platform and of Effect, which are no codes of a service. */
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

const codesOf = (error: unknown, headers: ReadonlyArray<HeaderLines.HeaderLine>): ReadonlyArray<string> => {
  const document = Untrusted.property(error, "Error")
  const found = [
    Untrusted.text(error, "code"),
    Untrusted.text(error, "Code"),
    Untrusted.text(error, "errorCode"),
    Untrusted.text(document, "Code"),
    Untrusted.text(error, "__type"),
    HeaderLines.get(headers, "x-amzn-errortype"),
    Untrusted.text(error, "name"),
    Untrusted.text(error, "_tag")
  ].map(plain)
  return [...new Set(found)].filter((code) => code !== undefined).filter((code) => !generic.includes(code))
}

/**
 * A code without the namespace before it and the address after it, as in `aws.api#SlowDown:http://…`; `undefined` for
 * what no service uses as a code.
 *
 * Source: https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization.
 */
const plain = (code: string | undefined): string | undefined => {
  const name = code?.split(":", 1)[0]?.split("#").at(-1)
  return name !== undefined && /^[A-Za-z][\w.-]{0,99}$/.test(name) ? name : undefined
}

const connectionOf = (error: unknown, message: string): ReadonlyArray<string> => {
  const code = Untrusted.text(error, "code")
  const name = Untrusted.text(error, "name")
  const tag = Untrusted.text(error, "_tag")
  const refused = code === "ERR_HTTP2_STREAM_ERROR" && message.includes("NGHTTP2_REFUSED_STREAM")
  const found = [
    refused ? "NGHTTP2_REFUSED_STREAM" : undefined,
    code,
    name === "TypeError" ? `TypeError: ${message}` : undefined,
    name,
    tag
  ]
  return [...new Set(found)].filter((each) => each !== undefined).filter((each) => each.length <= 120)
}
