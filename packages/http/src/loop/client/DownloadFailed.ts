/**
 * The error of a download that cannot continue.
 */
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Data from "effect/Data"
import type * as Resumption from "../../decide/Resumption.ts"

/**
 * A download broke and cannot be resumed.
 *
 * @category models
 */
export class DownloadFailed extends Data.TaggedError("DownloadFailed")<{
  readonly reason: Resumption.Refusal
  /** The number of bytes received and passed on to the consumer of the stream. */
  readonly received: number
  /** What may be shown of the error that broke the body, if there was one. */
  readonly cause?: Untrusted.ShownError
}> {
  constructor(failed: { readonly reason: Resumption.Refusal; readonly received: number; readonly cause?: unknown }) {
    const { cause, reason, received } = failed
    super({ reason, received, ...Untrusted.asCause(cause, Untrusted.shown) })
  }

  /** The error that broke the body, if there was one. Printing leaves it out. */
  get error(): unknown {
    return this.cause?.original
  }

  override get message(): string {
    return `the download stopped after ${this.received} bytes: ${this.reason.why}`
  }
}
