/**
 * The key of a bucket in a store: its name and, in a keyed bucket, the key.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"

/** The longest text that is used as it is. */
const longest = 200

/**
 * Joins both so that no two pairs give the same text: a colon within the name is written `%3A`. A key of more than 200
 * units is replaced by its SHA-256, computed once per bucket and not for each call; the name then ends in `%#`.
 */
export const make = (name: string, key?: string): string => {
  const written = name.replaceAll("%", "%25").replaceAll(":", "%3A")
  if (key === undefined) return written
  return key.length > longest ? `${written}${hashed}:${hash(key)}` : `${written}:${key}`
}

/** No name contains this, because a per cent sign is written `%25`. */
const hashed = "%#"

/** The name in a key that `make` made. */
export const name = (bucketKey: string): string => {
  const end = bucketKey.indexOf(":")
  const written = end === -1 ? bucketKey : bucketKey.slice(0, end)
  return (written.endsWith(hashed) ? written.slice(0, -hashed.length) : written)
    .replaceAll("%3A", ":")
    .replaceAll("%25", "%")
}

/**
 * The text as a part of a key of a store: no two texts become the same, whatever they hold.
 *
 * A letter, digit or one of `._:~@/-` stands for itself, another UTF-16 unit is `%` and four digits, and a text of more than
 * 200 units is `#` and its SHA-256.
 */
export const encoded = (text: string): string => {
  if (text.length > longest) return `#${hash(text)}`
  // A cluster does not use an empty part for the slot.
  return text === "" ? "%" : text.replace(/[^\w.:~@/-]/g, escaped)
}

const hash = (text: string): string => bytesToHex(sha256(unitsOf(text)))

/** UTF-16, the lower byte first. UTF-8 would write all unpaired surrogates alike. */
const unitsOf = (text: string): Uint8Array =>
  Uint8Array.from({ length: 2 * text.length }, (_, i) => text.charCodeAt(i >> 1) >> (8 * (i & 1)))

const escaped = (unit: string): string => `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
