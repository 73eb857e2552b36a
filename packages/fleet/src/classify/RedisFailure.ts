/**
 * Reads the reason from a rejection of a Redis client.
 *
 * The server's errors begin with a code in capitals; everything else comes from the client and means that there is no
 * connection, unless it is known to mean something else. Only the code is shown.
 */
import type { Reason } from "../accept/StoreReason.ts"
import type { Failure } from "./StoreFailure.ts"
import * as StoreFailure from "./StoreFailure.ts"

/**
 * The server's codes. Source: https://redis.io/docs/latest/develop/reference/protocol-spec/ ("Simple errors") and
 * `src/server.c` of Redis 7.0.15 (`createSharedObjects`), read 2026-11-22.
 */
const reasons: ReadonlyMap<string, Reason> = /*#__PURE__*/ new Map<string, Reason>([
  ...["LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "BUSY", "NOREPLICAS"].map(
    (code) => [code, "Unavailable"] as const
  ),
  ["NOAUTH", "Refused"],
  ["WRONGPASS", "Refused"],
  ["NOPERM", "Refused"],
  // Protected mode: a server without a password serves only its own machine.
  ["DENIED", "Refused"],
  ["WRONGTYPE", "WrongType"],
  ["OOM", "Full"],
  ["MISCONF", "Full"]
])

/** Servers before 7.0 put the code of a command after the position in the script. */
const inScript = /@user_script: ?\d+: -?([A-Z]+) /

/** The server does not have the connection's database. */
const noDatabase = /^ERR (DB index is out of range|invalid DB index|SELECT is not allowed in cluster mode)/

/**
 * A command in a script that the user may not run: Redis 7 and later, and Redis 6. A command sent by itself gives `NOPERM`.
 */
const noPermission = /^ERR (ACL failure in script|The user executing the script can't run this command)/

/**
 * A command that `rename-command` has renamed or disabled, sent by itself or by a script. Source: `src/server.c`
 * (`processCommand`) and `src/script.c` of Redis 7.0.15, and `src/scripting.c` of 6.2.14.
 */
const noCommand =
  /^ERR (unknown command|Unknown Redis command called from|Error running script .*: Unknown Redis command called from)/

/** The server has no room for one more client, and closes the connection. */
const noRoom = /^ERR max number of clients( \+ cluster connections)? reached/

/** Reads what a client rejected with. */
export const fromUnknown = (thrown: unknown): Failure => {
  const { code, message, name } = record(thrown)
  const serverCode = inScript.exec(message)?.[1] ?? /^[A-Z]{2,20}(?= |$)/.exec(message)?.[0]
  if (noDatabase.test(message)) return { reason: "Refused", code: "ERR" }
  if (noCommand.test(message)) return { reason: "Refused", code: "ERR" }
  if (noPermission.test(message)) return { reason: "Refused", code: "NOPERM" }
  if (noRoom.test(message)) return { reason: "Unavailable", code: "ERR" }
  if (serverCode !== undefined) return { reason: reasons.get(serverCode) ?? "BadAnswer", code: serverCode }
  if (message === "Command timed out") return { reason: "TimedOut", code: "" }
  if (name === "ParserError" || name === "TypeError") return { reason: "BadAnswer", code: name }
  return { reason: "Unavailable", code }
}

/** Whether the server does not have the script. */
export const isNoScript = (thrown: unknown): boolean => record(thrown).message.startsWith("NOSCRIPT")

const record = (thrown: unknown): { readonly code: string; readonly message: string; readonly name: string } => {
  const fields: { code?: unknown; message?: unknown; name?: unknown } = Object(thrown)
  return {
    code: StoreFailure.code(fields.code),
    message: StoreFailure.text(fields.message),
    name: StoreFailure.text(fields.name)
  }
}
