/**
 * The failure of a store's client. Only its code is ever shown.
 */
import type { Reason } from "../accept/StoreReason.ts"

/** A reason, and the code from which it was read; empty if there is none. */
export interface Failure {
  readonly reason: Reason
  readonly code: string
}

/** The text, or an empty one for any other value. */
export const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** The code of an error of a server, a client or a connection; empty if it cannot be shown. */
export const code = (value: unknown): string => (/^[A-Z0-9_]{2,40}$/.test(text(value)) ? text(value) : "")
