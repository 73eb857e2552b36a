/**
 * Reading values that come from outside.
 *
 * First stage of the flow. Errors and bodies may be proxies, have getters that throw and be of any size: reading them
 * never throws and is bounded.
 */

/** A longer text counts as none: no code, name or duration that is looked for is as long. */
const longestText = 1024

/** More entries of a list are not read. */
const mostEntries = 32

/** How many causes of an error are followed. */
const mostCauses = 10

/**
 * A property of whatever it is; `undefined` where there is none, or reading it throws.
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
 * The value at the end of a path of properties.
 *
 * @category destructors
 */
export const at = (value: unknown, ...path: ReadonlyArray<PropertyKey>): unknown => path.reduce(property, value)

/**
 * A property that is a text of at most 1,024 characters.
 *
 * @category destructors
 */
export const text = (value: unknown, key: PropertyKey): string | undefined => {
  const found = property(value, key)
  return typeof found === "string" && found.length <= longestText ? found : undefined
}

/**
 * The first 32 entries of a list; none of what is no list.
 *
 * @category destructors
 */
export const entries = (value: unknown): ReadonlyArray<unknown> => {
  try {
    return Array.isArray(value) ? value.slice(0, mostEntries) : []
  } catch {
    return []
  }
}

/**
 * A value as a list: its first 32 entries where it is one, itself where it is not, and none where it is absent.
 *
 * @category destructors
 */
export const listed = (value: unknown): ReadonlyArray<unknown> => {
  if (value === undefined || value === null) return []
  try {
    return Array.isArray(value) ? entries(value) : [value]
  } catch {
    return []
  }
}

/**
 * What a method of a value answers; `undefined` where it has none, or calling it throws.
 *
 * @category destructors
 */
export const called = (value: unknown, key: PropertyKey, argument: unknown): unknown => {
  const method = property(value, key)
  try {
    return typeof method === "function" ? Reflect.apply(method, value, [argument]) : undefined
  } catch {
    return undefined
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
 * An error and its causes, the outermost first, at most ten causes. What is no object has no causes and is none.
 *
 * @category destructors
 */
export const causes = (error: unknown): ReadonlyArray<object> => {
  const found: Array<object> = []
  let next = error
  while (isObject(next) && found.length <= mostCauses) {
    found.push(next)
    next = property(next, "cause")
  }
  return found
}
