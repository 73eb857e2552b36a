/**
 * What an error of the transport says about itself: its codes, and how far the request had come.
 *
 * First stage of the flow. Errors come from outside: their causes may form cycles, their properties may throw. Reading
 * them never throws and is bounded; what a code means is for the tables of `HttpClassifier`.
 */
import * as FetchFailure from "./FetchFailure.ts"

/**
 * How far a request had come: its connection was still being made, or was in use; `undefined` where the error does not
 * say.
 *
 * @category models
 */
export type Phase = "Connecting" | "Exchanging" | undefined

/**
 * One error in a chain of causes.
 *
 * @category models
 */
export interface Fault {
  /** Its codes and names, the most telling first. */
  readonly codes: ReadonlyArray<string>
  readonly phase: Phase
  /** Why it would come again, where it has no code of its own and yet says so. */
  readonly lasting: string | undefined
}

/**
 * An error and its causes, the outermost first.
 *
 * @category models
 */
export type Chain = ReadonlyArray<Fault>

/**
 * How deep causes are followed.
 *
 * Source: the AWS SDK for JavaScript follows them as far, @smithy/core 3.41.0, as recorded on 2026-11-20.
 *
 * @category constructors
 */
export const mostCauses = 10

/** A bound on all that is read of one error; what is beyond it counts as one more chain, of which nothing is known. */
const mostRead = 256

/** No code is as long. */
const longestCode = 100

/**
 * Reads an error and its causes, ten deep. There is one chain, but where an `AggregateError` offers several: then each
 * of its errors begins an end of its own, and what the aggregate says of itself comes last.
 *
 * @category destructors
 */
export const chains = (error: unknown): ReadonlyArray<Chain> => {
  let left = mostRead
  const follow = (value: unknown, depth: number): ReadonlyArray<Chain> => {
    if (left-- <= 0) return []
    if (!isObject(value) || depth > mostCauses) return [[]]
    const fault = faultOf(value)
    const parts = partsOf(property(value, "errors"))
    return parts.length === 0
      ? follow(property(value, "cause"), depth + 1).map((chain) => [fault, ...chain])
      : parts.flatMap((part) => follow(part, depth + 1).map((chain) => [...chain, fault]))
  }
  const found = follow(error, 0)
  return left < 0 ? [...found, []] : found
}

/**
 * A property of whatever it is; `undefined` where reading it throws.
 *
 * @category destructors
 */
export const property = (value: unknown, key: PropertyKey): unknown => {
  try {
    return isObject(value) ? (value as { readonly [key: PropertyKey]: unknown })[key] : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function"

const partsOf = (errors: unknown): ReadonlyArray<unknown> => {
  try {
    return Array.isArray(errors) ? errors.slice(0, mostRead) : []
  } catch {
    return []
  }
}

const faultOf = (error: object): Fault => {
  const code = text(error, "code")
  const message = text(error, "message")
  const name = text(error, "name")
  const codes = [streamCode(code, message), code, name].filter((code) => code !== undefined)
  return {
    codes: codes.filter((code) => code.length <= longestCode),
    phase: phaseOf(error, message),
    lasting: code === undefined ? FetchFailure.whyLasting(name, message) : undefined
  }
}

const text = (error: object, key: string): string | undefined => {
  const value = property(error, key)
  return typeof value === "string" ? value : undefined
}

/**
 * The code of a stream that HTTP/2 ended, which Node 20 and undici 7 tell in the message alone:
 * `ERR_HTTP2_STREAM_ERROR` "Stream closed with error code NGHTTP2_REFUSED_STREAM", and of an upgrade
 * `UND_ERR_INFO` 'HTTP/2: "stream error" received - code 7'.
 */
const streamCode = (code: string | undefined, message: string | undefined): string | undefined => {
  if (message === undefined) return undefined
  if (code === "ERR_HTTP2_STREAM_ERROR") return /^Stream closed with error code (NGHTTP2_[A-Z_]+)$/.exec(message)?.[1]
  return code === "UND_ERR_INFO" && message === 'HTTP/2: "stream error" received - code 7'
    ? "NGHTTP2_REFUSED_STREAM"
    : undefined
}

const connecting = ["connect", "getaddrinfo", "bind"]
const exchanging = ["read", "write", "shutdown"]

/** What Node says of a connection closed before it was secure, with the code `ECONNRESET` and no system call. */
const closedBeforeSecure = "Client network socket disconnected before secure TLS connection was established"

const phaseOf = (error: object, message: string | undefined): Phase => {
  const call = text(error, "syscall")
  if (call === undefined) return message === closedBeforeSecure ? "Connecting" : undefined
  return connecting.includes(call) ? "Connecting" : exchanging.includes(call) ? "Exchanging" : undefined
}
