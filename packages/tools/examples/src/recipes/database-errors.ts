import { timeline } from "../scripted.ts"
// #region tables
import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Effect } from "effect"

/** The server did nothing, or undid it: any statement and any transaction may be sent again. */
const undone = {
  "40001": "Transient", // PostgreSQL: serialization_failure
  "40P01": "Transient", // PostgreSQL: deadlock_detected
  "55P03": "Transient", // PostgreSQL: lock_not_available
  "53300": "Throttling", // PostgreSQL: too_many_connections
  "57P03": "Server", // PostgreSQL: cannot_connect_now
  ER_LOCK_DEADLOCK: "Transient", // MySQL: 1213
  ER_CON_COUNT_ERROR: "Throttling", // MySQL: 1040
  LOADING: "Server", // Redis: reads its data from disk
  TRYAGAIN: "Transient", // Redis Cluster: keys are on their way to another node
  CLUSTERDOWN: "Server", // Redis Cluster: slots without a node
  ECONNREFUSED: "Server", // sockets: no connection, so nothing was sent
  EAI_AGAIN: "Transient" // sockets: no answer of the name server
} as const

/** The server may have done it: for reads, and for what may be done twice. */
const unknown = {
  "57P01": "Server", // PostgreSQL: admin_shutdown
  "08006": "Server", // PostgreSQL: connection_failure
  PROTOCOL_CONNECTION_LOST: "Server", // MySQL: the connection ended
  ECONNRESET: "Server",
  EPIPE: "Server",
  ETIMEDOUT: "Timeout"
} as const
// #endregion

// #region classifier
type Table = Readonly<Record<string, Verdict.Kind>>

const hasCode = (error: unknown): error is { readonly code: string } =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"

/** The code of an error or of its cause; of an error of Redis, the first word of its message. */
const codeOf = (error: unknown): string | undefined =>
  hasCode(error)
    ? error.code
    : error instanceof Error && error.cause !== undefined
      ? codeOf(error.cause)
      : error instanceof Error
        ? error.message.split(" ")[0]
        : undefined

const byCode =
  (table: Table): Classifier.Classifier<unknown> =>
  (error) => {
    const code = codeOf(error) ?? ""
    const kind = Object.hasOwn(table, code) ? table[code] : undefined
    return kind === undefined ? Verdict.noOpinion : Verdict.retryable(kind)
  }

const policy = { maxAttempts: 4, backoff: Backoff.exponential({ base: "20 millis" }).pipe(Backoff.capped("1 second")) }

const write = { ...policy, classifier: byCode(undone) }
const read = { ...policy, classifier: Classifier.firstOf(byCode(undone), byCode(unknown)) }
// #endregion

const calls = (error: unknown) => {
  const counted = (retried: (call: Effect.Effect<never, unknown>) => Effect.Effect<never, unknown>) =>
    Effect.map(timeline([Effect.fail(error)], retried), ({ calls }) => calls.length)
  return Effect.all([counted(Retry.retry(write)), counted(Retry.retry(read))])
}

const coded = (code: string) => Object.assign(new Error("failed"), { code })

export const program = Effect.all({
  serialization: calls(coded("40001")),
  inACause: calls(new Error("query failed", { cause: coded("ER_LOCK_DEADLOCK") })),
  redis: calls(new Error("LOADING Redis is loading the dataset in memory")),
  reset: calls(coded("ECONNRESET")),
  unique: calls(coded("23505")),
  notAnError: calls("40001"),
  inherited: calls(coded("toString"))
})

// #region expected
/** The calls of a write and of a read that fail each time. */
export const expected = {
  serialization: [4, 4],
  inACause: [4, 4],
  redis: [4, 4],
  reset: [1, 4],
  unique: [1, 1],
  notAnError: [1, 1],
  inherited: [1, 1]
}
// #endregion
