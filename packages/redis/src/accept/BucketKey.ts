/**
 * The key of a bucket in a store: its name, and in a keyed bucket the key beside it.
 */

/**
 * Joins both so that no two pairs give the same text: a colon within the name is written `%3A`.
 *
 * @category constructors
 */
export const make = (name: string, key?: string): string => {
  const encoded = name.replaceAll("%", "%25").replaceAll(":", "%3A")
  return key === undefined ? encoded : `${encoded}:${key}`
}

/**
 * The name in a key that `make` made.
 *
 * @category destructors
 */
export const name = (bucketKey: string): string => {
  const end = bucketKey.indexOf(":")
  const encoded = end === -1 ? bucketKey : bucketKey.slice(0, end)
  return encoded.replaceAll("%3A", ":").replaceAll("%25", "%")
}
