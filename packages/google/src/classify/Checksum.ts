/**
 * The checksums that Cloud Storage keeps for objects: CRC32C for every object, MD5 for most.
 *
 * Values are written as the service writes them: base64, the four bytes of a CRC32C with the most
 * significant one first. A value that does not have exactly that form counts as absent.
 *
 * Source: https://docs.cloud.google.com/storage/docs/hashes-etags, read 2026-11-22.
 */
import { md5 } from "@noble/hashes/legacy.js"
import * as Arguments from "./ChecksumArguments.ts"
import * as Crc32c from "./Crc32c.ts"

/** @category models */
export type Algorithm = "crc32c" | "md5"

/**
 * Checksums of the same bytes, in base64.
 *
 * @category models
 */
export interface Checksums {
  readonly crc32c?: string
  readonly md5?: string
}

/**
 * Checksums of bytes that arrive in pieces; mutable.
 *
 * @category models
 */
export interface Running {
  readonly update: (bytes: Uint8Array) => void
  /** The checksums of the bytes so far; more may follow. */
  readonly digest: () => Checksums
}

/**
 * The result of a comparison.
 *
 * @category models
 */
export interface Comparison {
  /** The algorithms for which both sides have a checksum. */
  readonly compared: ReadonlyArray<Algorithm>
  /** The first of them whose checksums differ. */
  readonly mismatch: { readonly algorithm: Algorithm; readonly expected: string; readonly actual: string } | undefined
}

/**
 * All algorithms; the first is the one that every object has.
 *
 * @category models
 */
export const algorithms: ReadonlyArray<Algorithm> = ["crc32c", "md5"]

/**
 * Starts checksums with these algorithms, before any bytes.
 *
 * Sources: CRC32C: RFC 9260, appendix A, https://www.rfc-editor.org/rfc/rfc9260#appendix-A; MD5: RFC 1321,
 * https://www.rfc-editor.org/rfc/rfc1321.
 *
 * @category constructors
 */
export const running = (wanted: ReadonlyArray<Algorithm>): Running => begun("Checksum.running", wanted)

const begun = (owner: string, given: ReadonlyArray<Algorithm>): Running => {
  const wanted = Arguments.algorithms(owner, given)
  let crc = wanted.includes("crc32c") ? 0 : undefined
  const hash = wanted.includes("md5") ? md5.create() : undefined
  return {
    update: (bytes) => {
      Arguments.bytes(owner, bytes)
      if (crc !== undefined) crc = Crc32c.update(crc, bytes)
      hash?.update(bytes)
    },
    digest: () => ({
      ...(crc !== undefined && { crc32c: base64(bigEndian(crc)) }),
      ...(hash && { md5: base64(hash.clone().digest()) })
    })
  }
}

/**
 * The checksums of some bytes.
 *
 * @category constructors
 */
export const of = (bytes: Uint8Array, wanted: ReadonlyArray<Algorithm> = algorithms): Checksums => {
  const all = begun("Checksum.of", wanted)
  all.update(bytes)
  return all.digest()
}

const bigEndian = (number: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, number)
  return bytes
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Base64 of four bytes and of sixteen bytes: in both, four bits of the last letter are unused and zero. */
const forms: { readonly [A in Algorithm]: RegExp } = {
  crc32c: /^[A-Za-z0-9+/]{5}[AQgw]==$/,
  md5: /^[A-Za-z0-9+/]{21}[AQgw]==$/
}

const isOfForm = (algorithm: Algorithm, value: unknown): value is string =>
  typeof value === "string" && forms[algorithm].test(value)

/** A header that is longer is not one of the service, which sends about 60 characters. */
const longestHeader = 1024

/**
 * The checksums in `x-goog-hash`: `crc32c=n03x6A==,md5=Ojk9c3dhfxgoKVVHYwFbHQ==`, also from several headers joined with
 * commas. An algorithm that appears twice with different values counts as absent.
 *
 * @category conversions
 */
export const fromHeader = (value: string | undefined): Checksums => {
  Arguments.header("Checksum.fromHeader", value)
  if (value === undefined || value.length > longestHeader) return {}
  const pairs = value.split(",").map((pair) => pair.trim())
  return checksums((algorithm) => {
    const values = pairs
      .filter((pair) => pair.startsWith(`${algorithm}=`))
      .map((pair) => pair.slice(algorithm.length + 1))
    return new Set(values).size === 1 ? values[0] : undefined
  })
}

/**
 * The value of `x-goog-hash` for these checksums; `undefined` if there are none.
 *
 * @category conversions
 */
export const toHeader = (self: Checksums): string | undefined => {
  const pairs = algorithms.flatMap((algorithm) =>
    self[algorithm] === undefined ? [] : [`${algorithm}=${self[algorithm]}`]
  )
  return pairs.length === 0 ? undefined : pairs.join(",")
}

/**
 * The checksums of an object's resource in the JSON API: its fields `crc32c` and `md5Hash`.
 *
 * @category conversions
 */
export const fromResource = (resource: { readonly [field: string]: unknown }): Checksums =>
  checksums((algorithm) => resource[algorithm === "md5" ? "md5Hash" : algorithm])

const checksums = (valueOf: (algorithm: Algorithm) => unknown): Checksums =>
  Object.fromEntries(
    algorithms
      .map((algorithm) => [algorithm, valueOf(algorithm)])
      .filter(([algorithm, value]) => isOfForm(algorithm as Algorithm, value))
  )

/**
 * Compares the server's checksums with computed ones, for the algorithms that both have.
 *
 * @category destructors
 */
export const compare = (expected: Checksums, actual: Checksums): Comparison => {
  const compared = algorithms.filter(
    (algorithm) => expected[algorithm] !== undefined && actual[algorithm] !== undefined
  )
  const different = compared.find((algorithm) => expected[algorithm] !== actual[algorithm])
  return {
    compared,
    mismatch: different && {
      algorithm: different,
      expected: expected[different] ?? "",
      actual: actual[different] ?? ""
    }
  }
}
