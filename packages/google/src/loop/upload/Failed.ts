/**
 * The error of a resumable upload that cannot continue.
 */
import * as Data from "effect/Data"

/** @category models */
export type Reason =
  /** The server answered without acknowledging more, and the attempts are spent. */
  | { readonly _tag: "NoProgress"; readonly why: string }
  /** The answer broke off, and the attempts are spent. */
  | { readonly _tag: "AnswerLost"; readonly why: string }
  /** The server no longer knows the session, and the attempts are spent. */
  | { readonly _tag: "SessionLost"; readonly why: string }
  /** The server no longer knows the session, and a new one is not safe. */
  | { readonly _tag: "NotRestartable"; readonly why: string }
  /** The server has other bytes than those sent. */
  | { readonly _tag: "DataLoss"; readonly why: string }
  /** The request does not fit the upload, or the answer does not follow the protocol. */
  | { readonly _tag: "Invalid"; readonly why: string }
  /** The server has lost bytes that the source cannot give again. */
  | { readonly _tag: "NotRewindable"; readonly why: string }
  /** The source has more or fewer bytes than its `size`. */
  | { readonly _tag: "SourceChanged"; readonly why: string }
  /** The deadline of the policy passed between two chunks. */
  | { readonly _tag: "DeadlinePassed"; readonly why: string }

/**
 * A resumable upload that cannot continue. It contains neither the address of the session nor any bytes.
 *
 * @category models
 */
export class UploadFailed extends Data.TaggedError("UploadFailed")<{
  readonly reason: Reason
  /** How many bytes, from the first one, the server has acknowledged. */
  readonly acknowledged: number
}> {
  override get message(): string {
    return `the upload stopped after ${this.acknowledged} bytes: ${this.reason.why}`
  }
}

/** Failures of an attempt after which another one may succeed. */
const transient: ReadonlyArray<Reason["_tag"]> = ["NoProgress", "AnswerLost", "SessionLost"]

export const isTransient = ({ reason }: UploadFailed): boolean => transient.includes(reason._tag)
