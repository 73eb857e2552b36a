/**
 * Reads what a transport error says: its codes, and how far the request had got.
 *
 * Errors come from outside: their causes may form cycles, their properties may throw. Reading
 * them never throws and is bounded; what a code means is for the tables of `HttpClassifier`.
 */
import * as Property from "@effect-retry/core/unstable/Property"
import * as FetchFailure from "./FetchFailure.ts"

/**
 * How far a request had got: its connection was still being made, or was in use; `undefined` if the error does not say.
 */
export type Phase = "Connecting" | "Exchanging" | undefined

/** One error in a chain of causes. */
export interface Fault {
  /** Its codes and names, the most specific first. */
  readonly codes: ReadonlyArray<string>
  readonly phase: Phase
  /** Why another attempt would fail in the same way, if the error says so without a code. */
  readonly lasting: string | undefined
}

/** An error and its causes, the outermost first. */
export type Chain = ReadonlyArray<Fault>

/**
 * How deep causes are followed.
 *
 * Source: the AWS SDK for JavaScript follows them equally far, @smithy/core 3.41.0, as recorded on 2026-11-20.
 */
export const mostCauses = 10

/** A bound on what is read of one error; anything beyond it counts as one more chain, about which nothing is known. */
const mostRead = 256

/** No code is this long. */
const longestCode = 100

/**
 * Reads an error and its causes, ten deep: one chain, or for an `AggregateError` one for each of its errors, followed
 * by the aggregate itself. The error of an HTTP/2 stream that was cancelled before it was sent also comes last, because
 * its cause says what ended the connection.
 */
export const chains = (error: unknown): ReadonlyArray<Chain> => {
  let left = mostRead
  const follow = (given: unknown, depth: number, outer?: object): ReadonlyArray<Chain> => {
    if (left-- <= 0) return []
    const value = Property.original(given)
    if (!Property.isObject(value) || depth > mostCauses) return [[]]
    const fault = faultOf(value, outer)
    const parts = Property.entries(Property.property(value, "errors"), mostRead)
    if (parts.length > 0) return parts.flatMap((part) => follow(part, depth + 1).map((chain) => [...chain, fault]))
    const causes = follow(Property.property(value, "cause"), depth + 1, value)
    return fault.codes.includes(cancelledUnsent)
      ? causes.map((chain) => [...chain.map(unsent), fault])
      : causes.map((chain) => [fault, ...chain])
  }
  const found = follow(error, 0)
  return left < 0 ? [...found, []] : found
}

/**
 * "An `Http2Stream` was destroyed before any data was transmitted to the connected peer", because of its cause.
 *
 * Source: https://nodejs.org/api/errors.html#err_http2_stream_cancel, read 2026-11-22.
 */
const cancelledUnsent = "ERR_HTTP2_STREAM_CANCEL"

/** Even if the connection was being read from at that moment, as in a handshake. */
const unsent = (fault: Fault): Fault => ({ ...fault, phase: "Connecting" })

/** Whether a code may be shown: an error can contain anything. */
export const isPlain = (code: string): boolean => /^[A-Z][A-Z0-9_]{2,40}$/.test(code)

/** The first code of an error, or of one of its causes, that may be shown. */
export const codeOf = (error: unknown): string | undefined =>
  chains(error)
    .flatMap((chain) => chain.flatMap(({ codes }) => codes))
    .find(isPlain)

const faultOf = (error: object, outer: object | undefined): Fault => {
  const code = text(error, "code")
  const message = text(error, "message")
  const name = text(error, "name")
  const status = proxyStatus(error, code, message)
  if (status !== undefined) return { codes: proxyCodes(status), phase: "Connecting", lasting: undefined }
  const codes = [http2Code(code, message), code, name].filter((code) => code !== undefined)
  return {
    codes: codes.filter((code) => code.length <= longestCode),
    phase: phaseOf(error, message),
    lasting: code === undefined ? FetchFailure.whyLasting(name, message, text(outer, "message")) : undefined
  }
}

const text = (error: object | undefined, key: string): string | undefined => {
  const value = Property.property(error, key)
  return typeof value === "string" ? value : undefined
}

/**
 * The status with which a proxy refused to connect to the server. undici gives it only in the message, and calls it an
 * abort.
 *
 * Sources: `undici` 7.30.2, lib/dispatcher/proxy-agent.js; Node 24, lib/https.js, `ERR_PROXY_TUNNEL`; read 2026-11-24.
 */
const proxyStatus = (error: object, code: string | undefined, message = ""): number | undefined => {
  switch (code) {
    case "UND_ERR_ABORTED":
      return statusOf(Number(/^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/.exec(message)?.[1]))
    case "ERR_PROXY_TUNNEL":
      return statusOf(Property.property(error, "statusCode"))
    default:
      return undefined
  }
}

const statusOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 100 && value <= 999 ? value : undefined

/** Every refusal of a proxy has this code after those of its status. */
export const proxyRefused = "PROXY_REFUSED"

const proxyCodes = (status: number): ReadonlyArray<string> => [
  `PROXY_${status}`,
  ...(status >= 500 ? ["PROXY_5XX"] : []),
  proxyRefused
]

/**
 * Why HTTP/2 ended a stream or a connection, which Node and undici 7 say only in the message.
 *
 * Sources: https://nodejs.org/api/errors.html#err_http2_stream_error; `undici` 7.30.2, lib/dispatcher/client-h2.js, read
 * 2026-11-22.
 */
const http2Code = (code: string | undefined, message = ""): string | undefined => {
  switch (code) {
    case "ERR_HTTP2_STREAM_ERROR":
      return /^Stream closed with error code (NGHTTP2_[A-Z0-9_]+)$/.exec(message)?.[1]
    case "ERR_HTTP2_SESSION_ERROR":
      return ofConnection(/^Session closed with error code (\d{1,2}|NGHTTP2_[A-Z0-9_]+)$/.exec(message)?.[1])
    case "UND_ERR_SOCKET":
      return ofConnection(/^HTTP\/2: "GOAWAY" frame received with code (\d{1,2})$/.exec(message)?.[1])
    case "UND_ERR_INFO":
      return message === 'HTTP/2: "stream error" received - code 7' ? "NGHTTP2_REFUSED_STREAM" : undefined
    default:
      return undefined
  }
}

/**
 * The codes that concern a whole connection, by name and by number, as Node 20 and undici write them. A refused stream
 * is not among them, because it concerns only itself.
 *
 * Source: RFC 9113, section 7, https://www.rfc-editor.org/rfc/rfc9113#section-7.
 */
const connectionCodes: ReadonlyArray<readonly [number: string, name: string]> = [
  ["11", "NGHTTP2_ENHANCE_YOUR_CALM"],
  ["12", "NGHTTP2_INADEQUATE_SECURITY"],
  ["13", "NGHTTP2_HTTP_1_1_REQUIRED"]
]

const ofConnection = (said: string | undefined): string | undefined =>
  connectionCodes.find(([number, name]) => said === number || said === name)?.[1]

const connecting = ["connect", "getaddrinfo", "bind"]
const exchanging = ["read", "write", "shutdown"]

/** Node's message for a connection closed before it was secure, with the code `ECONNRESET` and no system call. */
const closedBeforeSecure = "Client network socket disconnected before secure TLS connection was established"

const phaseOf = (error: object, message: string | undefined): Phase => {
  const call = text(error, "syscall")
  if (call === undefined) return message === closedBeforeSecure ? "Connecting" : undefined
  return connecting.includes(call) ? "Connecting" : exchanging.includes(call) ? "Exchanging" : undefined
}
