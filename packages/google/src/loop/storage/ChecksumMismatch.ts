/**
 * The error for bytes that differ from the server's.
 */
import * as Data from "effect/Data"
import type * as Checksum from "../../classify/Checksum.ts"

/**
 * The checksum computed over all bytes differs from the one that the server sent. Checksums are in base64.
 *
 * After an upload the object exists: `generation` is the version to delete. After a download the consumer of the stream
 * already has the bytes, and must discard them.
 *
 * @category models
 */
export class ChecksumMismatch extends Data.TaggedError("ChecksumMismatch")<{
  readonly algorithm: Checksum.Algorithm
  /** The server's checksum. */
  readonly expected: string
  /** The computed checksum. */
  readonly actual: string
  readonly generation: string | undefined
}> {
  override get message(): string {
    return `the ${this.algorithm} is ${this.actual} and not ${this.expected}`
  }
}
