/**
 * Reads values that come from outside: errors, bodies, and anything that a server or another library made.
 *
 * They may be proxies, even revoked ones, have getters that throw, form cycles, and be of any size. Reading them never
 * throws, and takes bounded time.
 */

/** A longer text is cut: every code, name or phrase that is looked for is shorter. */
const longestText = 1024

/** How many entries of a list are read. */
const mostEntries = 32

/**
 * How many causes of an error are followed by default, as in the AWS SDK for JavaScript.
 *
 * Source: `@smithy/core` 3.41.0, service-error-classification, `depth <= 10`, read 2026-11-20.
 */
export const mostCauses = 10

/** Whether a value can have properties. */
export const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function"

/** Whether a value is an array; false if asking throws, as for a revoked proxy. */
export const isArray = (value: unknown): value is ReadonlyArray<unknown> => {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

/** Whether a value is an `Error`; false if asking throws, as for a revoked proxy. */
export const isError = (value: unknown): value is Error => {
  try {
    return value instanceof Error
  } catch {
    return false
  }
}

/** A property of any value; `undefined` if there is none, or if reading it throws. */
export const property = (value: unknown, key: PropertyKey): unknown => {
  try {
    return isObject(value) ? (value as { readonly [key: PropertyKey]: unknown })[key] : undefined
  } catch {
    return undefined
  }
}

/** The value at the end of a path of properties. */
export const at = (value: unknown, ...path: ReadonlyArray<PropertyKey>): unknown => path.reduce(property, value)

/** A property that is a text, at most 1,024 characters of it. */
export const text = (value: unknown, key: PropertyKey): string | undefined => {
  const found = property(value, key)
  return typeof found === "string" ? found.slice(0, longestText) : undefined
}

/** The names of a value's own properties in their order, at most `most`; none if reading them throws. */
export const keys = (value: unknown, most: number): ReadonlyArray<string> => {
  try {
    return isObject(value) ? Object.keys(value).slice(0, most) : []
  } catch {
    return []
  }
}

/** The first entries of a list, at most `most`; none if the value is no list. */
export const entries = (value: unknown, most = mostEntries): ReadonlyArray<unknown> => {
  try {
    return isArray(value) ? value.slice(0, most) : []
  } catch {
    return []
  }
}

/**
 * A value as a list: its first 32 entries if it is a list, the value itself if it is not, and nothing if it is absent or
 * cannot be read.
 */
export const listed = (value: unknown): ReadonlyArray<unknown> => {
  if (value === undefined || value === null) return []
  try {
    return Array.isArray(value) ? entries(value) : [value]
  } catch {
    return []
  }
}

/** The result of a method of a value; `undefined` if it has no such method, or if calling it throws. */
export const called = (value: unknown, key: PropertyKey, argument: unknown): unknown => {
  const method = property(value, key)
  try {
    return typeof method === "function" ? Reflect.apply(method, value, [argument]) : undefined
  } catch {
    return undefined
  }
}

/** The key under which an error that shows another one holds that other error. */
export const Original: unique symbol = Symbol.for("@effect-retry/core/Original")

/** The error that a shown error stands for; any other value is returned as it is. */
export const original = (value: unknown): unknown => property(value, Original) ?? value

/**
 * An error and at most `most` of its causes, the outermost first; empty for a value that is no object. For a shown
 * error, the original is read.
 */
export const causes = (error: unknown, most: number = mostCauses): ReadonlyArray<object> => {
  const found: Array<object> = []
  let next = original(error)
  while (isObject(next) && found.length <= most) {
    found.push(next)
    next = original(property(next, "cause"))
  }
  return found
}
