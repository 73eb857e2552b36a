/**
 * The messages of store errors, and what they show of a client's error.
 */
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import type { Reason } from "./StoreReason.ts"

/** The parts of a store error. `cause` is the client's error itself. */
export interface Failed {
  readonly reason: Reason
  readonly bucket: string
  readonly code: string
  readonly cause?: unknown
}

/** The fields of an error of a store. Messages of servers quote keys, arguments and rows, so none is shown. */
export const parts = ({ bucket, cause, code, reason }: Failed) => ({
  reason,
  bucket,
  code,
  ...Untrusted.asCause(cause, (error) => Untrusted.shown(error, () => ({ messages: "none" })))
})

/** The bucket, what the reason means for its store, and the code, if there is one. */
export const make = (
  { bucket, code, reason }: { readonly bucket: string; readonly code: string; readonly reason: Reason },
  texts: { readonly [R in Reason]: string }
): string => `${bucket}: ${texts[reason]}${code === "" ? "" : ` (${code})`}`
