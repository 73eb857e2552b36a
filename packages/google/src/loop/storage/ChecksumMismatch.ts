/**
 * Bytes that are not those that the server has.
 */
import * as Data from "effect/Data"
import type * as Checksum from "../../classify/Checksum.ts"

/**
 * A checksum that was computed over the whole is not the one that the server tells. Checksums are in base64.
 *
 * After an upload the object is there: `generation` names the version to delete. After a download the bytes have been given
 * to the reader of the stream, and are to be thrown away.
 *
 * @category models
 */
export class ChecksumMismatch extends Data.TaggedError("ChecksumMismatch")<{
  readonly algorithm: Checksum.Algorithm
  /** What the server tells. */
  readonly expected: string
  /** What was computed. */
  readonly actual: string
  readonly generation: string | undefined
}> {
  override get message(): string {
    return `the ${this.algorithm} is ${this.actual} and not ${this.expected}`
  }
}
