import { timeline } from "./scripted.ts"
// #region library
import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect } from "effect"

class SqlError extends Data.TaggedError("SqlError")<{ readonly code: string }> {}
class SocketClosed extends Error {}

const hasStatus = (error: unknown): error is { readonly status: number } =>
  typeof error === "object" && error !== null && "status" in error && typeof error.status === "number"

/** Values that a library ships: each has no opinion on errors that it does not know. */
const sql = Classifier.fromTags({
  SqlError: ({ code }: SqlError) => (code === "40001" ? Verdict.transient : Verdict.terminal(`SQLSTATE ${code}`))
})
const sockets = Classifier.fromClass(SocketClosed, Verdict.transient)
const statuses = Classifier.when(hasStatus, ({ status }) => (status === 429 ? Verdict.throttling : Verdict.noOpinion))
// #endregion

// #region program
class HttpError extends Data.TaggedError("HttpError")<{ readonly status: number }> {}
class OutOfStock extends Data.TaggedError("OutOfStock") {}
type Failed = SqlError | SocketClosed | HttpError | OutOfStock

/** The program puts them together for its own errors; `OutOfStock` is retried by none of them. */
const order = <A, R>(call: Effect.Effect<A, Failed, R>) =>
  Retry.orStopped(call, {
    classifier: Classifier.firstOf(sql, sockets, statuses),
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "1 second" })
  })
// #endregion

const reasonOf = (error: Failed) =>
  Effect.map(
    timeline([Effect.fail(error)], (call) => Effect.flip(order(call))),
    ({ outcome }) => (outcome instanceof Retry.RetryStopped ? Retry.format(outcome.reason) : "")
  )

export const program = Effect.all([
  reasonOf(new SqlError({ code: "40001" })),
  reasonOf(new SqlError({ code: "23505" })),
  reasonOf(new SocketClosed()),
  reasonOf(new HttpError({ status: 429 })),
  reasonOf(new HttpError({ status: 404 })),
  reasonOf(new OutOfStock())
])

export const expected = [
  "all attempts spent",
  "not retryable: SQLSTATE 23505",
  "all attempts spent",
  "all attempts spent",
  "not retryable: no classifier has an opinion",
  "not retryable: no classifier has an opinion"
]
