/**
 * What a failed call says about itself: its status code, and the server's pushback in its trailers.
 *
 * Reads errors of `@grpc/grpc-js` and whatever has the same shape. Errors come from outside: reading one never throws.
 */
import { Predicate } from "effect"
import * as StatusCode from "../accept/StatusCode.ts"

/**
 * The status code in an error's `code`, by number or name; `undefined` where there is none.
 *
 * @category destructors
 */
export const codeOf = (error: unknown): StatusCode.StatusCode | undefined => {
  const code = read(error, "code")
  if (typeof code === "number") return StatusCode.fromNumber(code)
  return typeof code === "string" ? StatusCode.fromName(code) : undefined
}

/**
 * How long the server asks to wait, in milliseconds, or `"never"` where it asks not to send again.
 *
 * @category models
 */
export type Pushback = number | "never"

/**
 * The trailer of a pushback.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback".
 *
 * @category models
 */
export const pushbackTrailer = "grpc-retry-pushback-ms"

/**
 * The pushback in an error's `metadata`: an object with a `get`, as `Metadata` of grpc-js, `Headers` and `Map` have one, or a
 * record of texts and lists of texts.
 *
 * A text that is no whole number of 32 bits without leading zeros, a negative one, and more than one value ask not to send
 * again. `undefined` where the trailer is absent.
 *
 * @category destructors
 */
export const pushbackOf = (error: unknown): Pushback | undefined => {
  const values = trailers(read(error, "metadata"))
  if (values.length === 0) return undefined
  return values.length === 1 ? parsePushback(values[0]) : "never"
}

/** The greatest signed number of 32 bits. */
const greatest = 2_147_483_647

const parsePushback = (value: unknown): Pushback => {
  const millis = typeof value === "string" && /^(?:0|[1-9]\d{0,9})$/.test(value) ? Number(value) : Infinity
  return millis <= greatest ? millis : "never"
}

const trailers = (metadata: unknown): ReadonlyArray<unknown> => {
  try {
    const get = read(metadata, "get")
    const found = Predicate.isFunction(get)
      ? (get.call(metadata, pushbackTrailer) as unknown)
      : Predicate.isRecord(metadata) && Object.hasOwn(metadata, pushbackTrailer)
        ? metadata[pushbackTrailer]
        : undefined
    return Array.isArray(found) ? found : found === undefined || found === null ? [] : [found]
  } catch {
    return []
  }
}

const read = (from: unknown, field: string): unknown => {
  try {
    return Predicate.hasProperty(from, field) ? from[field] : undefined
  } catch {
    return undefined
  }
}
