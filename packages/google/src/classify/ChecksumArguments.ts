/**
 * Checks the arguments of `Checksum`.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Predicate from "effect/Predicate"

const names = ["crc32c", "md5"] as const

/** A copy of the algorithms that a caller names. */
export const algorithms = (owner: string, wanted: ReadonlyArray<string>): ReadonlyArray<(typeof names)[number]> =>
  Array.isArray(wanted)
    ? wanted.map((one) => names.find((name) => name === one) ?? refuse(owner, wanted))
    : refuse(owner, wanted)

const refuse = (owner: string, wanted: unknown): never =>
  Argument.refuse(owner, "checksums", "an array of crc32c and md5", wanted)

export const bytes = (owner: string, given: Uint8Array): Uint8Array =>
  Predicate.isUint8Array(given) ? given : Argument.refuse(owner, "bytes", "a Uint8Array", typeof given)

export const header = (owner: string, given: string | undefined): string | undefined =>
  given === undefined || Predicate.isString(given)
    ? given
    : Argument.refuse(owner, "value", "a text or undefined", given)
