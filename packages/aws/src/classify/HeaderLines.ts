/**
 * The headers of a response that matter to retries, from any form of headers.
 *
 * Headers come as the record of an SDK with names in any case, as the lower-case record of `@effect/platform`, as
 * `Headers` of `fetch`, or as lines read before.
 */
import * as Property from "@effect-retry/core/unstable/Property"

/** A name in lower case, and its value. */
export type HeaderLine = readonly [name: string, value: string]

/** The names of the headers that are read. */
const names = ["x-amz-retry-after", "retry-after", "date", "age", "x-amzn-errortype", "x-amz-crc32"]

/** How many headers of a record or a list are read. A response of AWS has far fewer. */
const mostHeaders = 256

/** A longer value counts as absent: no header read here needs more. */
const longestValue = 256

/**
 * The headers that matter, in the order of the headers given.
 *
 * A header with several values counts as absent. Never throws.
 */
export const read = (headers: unknown): ReadonlyArray<HeaderLine> => {
  if (!Property.isObject(headers)) return []
  if (Property.isArray(headers)) return fromPairs(headers)
  return typeof Property.property(headers, "get") === "function" ? fromGetter(headers) : fromRecord(headers)
}

/** The value of a header, by its name in lower case; the first one of several. */
export const get = (lines: ReadonlyArray<HeaderLine>, name: string): string | undefined =>
  lines.find(([known]) => known === name)?.[1]

const fromPairs = (pairs: object): ReadonlyArray<HeaderLine> => {
  const count = Property.property(pairs, "length")
  const found: Array<HeaderLine> = []
  for (let i = 0; i < Math.min(typeof count === "number" ? count : 0, mostHeaders); i++) {
    const pair = Property.property(pairs, i)
    add(found, Property.property(pair, 0), Property.property(pair, 1))
  }
  return found
}

const fromRecord = (record: object): ReadonlyArray<HeaderLine> => {
  const found: Array<HeaderLine> = []
  for (const name of Property.keys(record, mostHeaders)) add(found, name, Property.property(record, name))
  return found
}

const fromGetter = (headers: object): ReadonlyArray<HeaderLine> => {
  const found: Array<HeaderLine> = []
  for (const name of names) add(found, name, call(headers, name))
  return found
}

const call = (headers: object, name: string): unknown => {
  try {
    return (headers as { readonly get: (name: string) => unknown }).get(name)
  } catch {
    return undefined
  }
}

/** Adds a header that matters. */
const add = (found: Array<HeaderLine>, name: unknown, value: unknown): void => {
  const lower = typeof name === "string" && name.length <= longestValue ? name.toLowerCase() : ""
  if (!names.includes(lower)) return
  const single =
    Property.isArray(value) && Property.property(value, "length") === 1 ? Property.property(value, 0) : value
  if (typeof single === "string" && single.length <= longestValue) found.push([lower, single])
}
