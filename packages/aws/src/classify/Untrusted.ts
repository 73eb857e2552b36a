/**
 * Reading values that come from outside.
 *
 * First stage of the flow. Errors may be proxies, have getters that throw and texts of any length: reading them never
 * throws and is bounded.
 */

/** A longer text of an error is cut. No code, name or phrase that is looked for is as long. */
const longestText = 1024

/**
 * How many causes of an error are followed where nothing else is said. The SDK for JavaScript follows about as many.
 *
 * Source: `@smithy/core` 3.41.0, service-error-classification, `depth <= 10`.
 *
 * @category constructors
 */
export const mostCauses = 10

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

/**
 * A property that is a text, at most 1,024 characters of it.
 *
 * @category destructors
 */
export const text = (value: unknown, key: PropertyKey): string | undefined => {
  const found = property(value, key)
  return typeof found === "string" ? found.slice(0, longestText) : undefined
}

/**
 * The names of a value's own properties in their order, at most `most`; none where reading them throws.
 *
 * @category destructors
 */
export const keys = (value: unknown, most: number): ReadonlyArray<string> => {
  try {
    return isObject(value) ? Object.keys(value).slice(0, most) : []
  } catch {
    return []
  }
}

/**
 * Whether a value can have properties.
 *
 * @category guards
 */
export const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function"

/**
 * Whether a value is an array; not where asking throws, as for a revoked proxy.
 *
 * @category guards
 */
export const isArray = (value: unknown): boolean => {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

/**
 * An error and its causes, the outermost first, at most `most` causes. What is no object has no causes and is none.
 *
 * An `UnknownException`, by which Effect wraps what a promise rejected with, is left out.
 *
 * @category destructors
 */
export const causes = (error: unknown, most: number): ReadonlyArray<object> => {
  const found: Array<object> = []
  let next = property(error, "_tag") === "UnknownException" ? property(error, "cause") : error
  while (isObject(next) && found.length <= most) {
    found.push(next)
    next = property(next, "cause")
  }
  return found
}
