/**
 * What a client of a store failed with, before it is known what it means. Nothing but a code is ever shown of it.
 */
import type { Reason } from "../accept/StoreReason.ts"

/** A reason, and the code that it was read from; empty where there is none. */
export interface Failure {
  readonly reason: Reason
  readonly code: string
}

/** The text, or an empty one where the value is something else. */
export const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** The code of an error of a server, a client or a connection; empty where it is none that can be shown. */
export const code = (value: unknown): string => (/^[A-Z0-9_]{2,40}$/.test(text(value)) ? text(value) : "")
