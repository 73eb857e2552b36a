import { timeline } from "./scripted.ts"
// #region database
import { Backoff, Classifier, Observe, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect } from "effect"

class SqlError extends Data.TaggedError("SqlError")<{ readonly sqlState: string; readonly message: string }> {}

const ofPostgres = Observe.describing((event) => {
  const error = "error" in event ? event.error.original : undefined
  return error instanceof SqlError
    ? {
        outcome: error.sqlState,
        attributes: {
          "db.system.name": "postgresql",
          "db.response.status_code": error.sqlState,
          // Messages of Postgres can quote rows.
          "exception.message": "withheld"
        }
      }
    : {}
})

const transaction = <A, R>(self: Effect.Effect<A, SqlError, R>) =>
  Retry.retry(self, {
    name: "orders",
    observe: [Observe.logs(), Observe.spanEvents].map(ofPostgres),
    classifier: Classifier.fromTags({
      SqlError: ({ sqlState }) =>
        sqlState === "40001" ? Verdict.transient : Verdict.terminal("no serialization failure")
    }),
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "20 millis" })
  })
// #endregion

import { Logger } from "effect"

const conflict = Effect.fail(new SqlError({ sqlState: "40001", message: "Key (email)=(ann@example.org) is locked" }))
const denied = Effect.fail(new SqlError({ sqlState: "42501", message: "permission denied for table orders" }))

export const program = Effect.gen(function* () {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
  yield* Effect.all([timeline([conflict], transaction), timeline([denied], transaction)]).pipe(
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
  return lines.join("\n")
})

export const expected = [
  "INFO retry 1 of 2 in 20 ms: orders → 40001 (Transient)",
  "INFO retry 2 of 2 in 20 ms: orders → 40001 (Transient)",
  "WARN gave up: orders → 40001 after 3 attempts, 40 ms (all attempts spent)",
  "WARN gave up: orders → 42501 after 1 attempt, 0 ms (not retryable: no serialization failure)"
].join("\n")
