/**
 * Reads the reason from an error of a Postgres client.
 *
 * The server's errors have a SQLSTATE, whose first two characters are its class. Everything else comes from the client
 * and means that there is no connection, unless it is known to mean something else. Only the code is shown.
 */
import type { Reason } from "../accept/StoreReason.ts"
import type { Failure } from "./StoreFailure.ts"
import * as StoreFailure from "./StoreFailure.ts"

/**
 * By SQLSTATE or its class. Source: https://www.postgresql.org/docs/18/errcodes-appendix.html, read 2026-11-22.
 */
const reasons: ReadonlyMap<string, Reason> = /*#__PURE__*/ new Map<string, Reason>([
  // Connection, read-only server, serialization and deadlock, resources, intervention of an operator, input and output.
  ...["08", "25", "40", "53", "57", "58"].map((group) => [group, "Unavailable"] as const),
  // Timeouts of transactions, locks and statements.
  ...["25P03", "25P04", "55P03", "57014"].map((code) => [code, "TimedOut"] as const),
  // Authorization, a missing database, permissions.
  ...["28", "3D", "42501"].map((code) => [code, "Refused"] as const),
  // Names and types, and values that do not fit them.
  ...["22", "23", "42"].map((group) => [group, "WrongType"] as const),
  ...["53100", "53200"].map((code) => [code, "Full"] as const)
  // Not listed: a prepared statement that a pooler has lost (26000) or kept (42P05), and unknown codes.
])

/** A prepared statement that already exists, because of a pooler in between. */
const duplicateStatement = "42P05"

/** Messages of `pg` and its pool for their own timeouts, which have no code. */
const timeouts = /*#__PURE__*/ new Set([
  "timeout exceeded when trying to connect",
  "Connection terminated due to connection timeout",
  "timeout expired",
  "Query read timeout"
])

/** Reads the error of a client, even if it is the cause of another error. */
export const fromUnknown = (thrown: unknown): Failure => {
  const { code, isServer, message } = deepest(thrown)
  if (isServer) return { reason: code === duplicateStatement ? "BadAnswer" : ofState(code), code }
  if (timeouts.has(message)) return { reason: "TimedOut", code: "" }
  return { reason: "Unavailable", code }
}

const ofState = (code: string): Reason => reasons.get(code) ?? reasons.get(code.slice(0, 2)) ?? "BadAnswer"

interface Read {
  readonly code: string
  readonly isServer: boolean
  readonly message: string
}

/** The first of an error and its causes that has a code or is a known timeout. */
const deepest = (thrown: unknown): Read => {
  let error: { code?: unknown; severity?: unknown; message?: unknown; cause?: unknown } = Object(thrown)
  for (let depth = 0; depth < 5; depth++) {
    const read = {
      code: StoreFailure.code(error.code),
      isServer: typeof error.severity === "string",
      message: StoreFailure.text(error.message)
    }
    if (read.code !== "" || timeouts.has(read.message)) return read
    error = Object(error.cause)
  }
  return { code: "", isServer: false, message: "" }
}
