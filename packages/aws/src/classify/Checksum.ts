/**
 * The checksum that DynamoDB sends with its responses, and which botocore compares.
 *
 * A response with a damaged body is retried although its status is 200.
 */
import { Verdict } from "@effect-retry/core"
import * as HeaderLines from "./HeaderLines.ts"

/**
 * A response whose body has been read.
 *
 * @category models
 */
export interface Received {
  /** Headers of any form. */
  readonly headers: unknown
  readonly body: string | Uint8Array
}

/**
 * Judges a response as transient if `x-amz-crc32` differs from the checksum of the body; has no opinion if they match or the
 * header is absent. For the field `result` of a policy.
 *
 * A header that is not a number counts as absent.
 * Source: https://github.com/boto/botocore at 0e6e240, botocore/retries/special.py and its test_special.py.
 *
 * @category constructors
 */
export const dynamodb = ({ body, headers }: Received): Verdict.Verdict => {
  const value = HeaderLines.get(HeaderLines.read(headers), "x-amz-crc32")
  if (value === undefined || !/^\d{1,10}$/.test(value)) return Verdict.noOpinion
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return Number(value) === crc32(bytes) ? Verdict.noOpinion : Verdict.transient
}

/**
 * The checksum CRC-32, from 0 to 2^32 - 1.
 *
 * Source: ISO 3309, in the form of RFC 1952, section 8, https://www.rfc-editor.org/rfc/rfc1952#section-8.
 *
 * @category destructors
 */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffff_ffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0)
  }
  return (crc ^ 0xffff_ffff) >>> 0
}
