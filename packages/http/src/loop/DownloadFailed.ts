/**
 * Why a download does not go on.
 */
import * as Data from "effect/Data"
import type * as Resumption from "../decide/Resumption.ts"

/**
 * A download broke, and cannot go on where it was.
 *
 * @category models
 */
export class DownloadFailed extends Data.TaggedError("DownloadFailed")<{
  readonly reason: Resumption.Refusal
  /** The bytes that were received, and have been given to the reader of the stream. */
  readonly received: number
  /** What the body broke with, where it did. */
  readonly cause?: unknown
}> {
  override get message(): string {
    return `the download stopped after ${this.received} bytes: ${this.reason.why}`
  }
}
