/**
 * The key of a bucket in a store: its name, and in a keyed bucket the key beside it.
 */
import { createHash } from "node:crypto"

/** The longest text that is written out. */
const longest = 200

/**
 * Joins both so that no two pairs give the same text: a colon within the name is written `%3A`.
 *
 * @category constructors
 */
export const make = (name: string, key?: string): string => {
  const written = name.replaceAll("%", "%25").replaceAll(":", "%3A")
  return key === undefined ? written : `${written}:${key}`
}

/**
 * The name in a key that `make` made.
 *
 * @category destructors
 */
export const name = (bucketKey: string): string => {
  const end = bucketKey.indexOf(":")
  const written = end === -1 ? bucketKey : bucketKey.slice(0, end)
  return written.replaceAll("%3A", ":").replaceAll("%25", "%")
}

/**
 * The text as a part of a key of a store: no two texts become the same, whatever they hold.
 *
 * A letter, digit or one of `._:~@/-` stands for itself, another UTF-16 unit is `%` and four digits, and a text of more than
 * 200 units is `#` and its SHA-256.
 *
 * @category conversions
 */
export const encoded = (text: string): string => {
  if (text.length > longest) return `#${createHash("sha256").update(Buffer.from(text, "utf16le")).digest("hex")}`
  // A cluster takes no empty part for a slot.
  return text === "" ? "%" : text.replace(/[^\w.:~@/-]/g, escaped)
}

const escaped = (unit: string): string => `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
