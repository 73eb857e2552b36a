/**
 * The keys of buckets in Redis: `effect-retry:{orders:eu}:50000000`.
 *
 * The part in braces is the bucket, and alone decides the slot in a cluster. A letter, digit or one of `._:~@/-` stands for
 * itself, another UTF-16 unit is `%` and four digits, and a long key is `#` and its SHA-256: no two buckets share a key,
 * whatever their names hold. Behind it stands what the value is: an arrival time, with the time in which the bucket fills,
 * since it means that only for these limits; a count; or members.
 */
import { createHash } from "node:crypto"

/** The longest key that is written out. */
const longest = 200

/**
 * The arrival time of a bucket that fills in `window` microseconds.
 *
 * @category constructors
 */
export const arrival = (bucketKey: string, window: number): string => `${prefix(bucketKey)}:${window}`

/**
 * A count.
 *
 * @category constructors
 */
export const count = (bucketKey: string): string => `${prefix(bucketKey)}:count`

/**
 * The members of a group.
 *
 * @category constructors
 */
export const members = (group: string): string => `${prefix(group)}:members`

const prefix = (bucketKey: string): string => `effect-retry:{${encoded(bucketKey)}}`

/**
 * A text that no other text becomes, without spaces, control characters or braces.
 *
 * @category conversions
 */
export const encoded = (text: string): string => {
  if (text.length > longest) return `#${createHash("sha256").update(Buffer.from(text, "utf16le")).digest("hex")}`
  // A cluster takes no empty part for a slot.
  return text === "" ? "%" : text.replace(/[^\w.:~@/-]/g, escaped)
}

const escaped = (unit: string): string => `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
