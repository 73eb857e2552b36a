/**
 * The error of buckets in Postgres.
 *
 * It shows the name of the bucket and the code of the server or the connection. Its message, its text, its JSON and
 * what `inspect` and `Cause.pretty` print contain no key, value, statement, address or credential.
 */
import type * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Data from "effect/Data"
import * as StoreMessage from "./StoreMessage.ts"
import type { Reason } from "./StoreReason.ts"

/**
 * A call of the store failed.
 *
 * @category models
 */
export class PostgresError extends Data.TaggedError("PostgresError")<{
  readonly reason: Reason
  /** The name of the bucket, without the key of a keyed bucket; the table if it concerns all buckets. */
  readonly bucket: string
  /** The SQLSTATE of the server or the code of the connection, such as `ECONNREFUSED`; empty if there is none. */
  readonly code: string
  /** What may be shown of `error`: its class, code and stack, and those of its causes, but no message. */
  readonly cause?: Untrusted.ShownError
}> {
  constructor(failed: StoreMessage.Failed) {
    super(StoreMessage.parts(failed))
  }

  /** The client's error, which may hold values of the statement; `undefined` if it has not answered. Printing leaves it out. */
  get error(): unknown {
    return this.cause?.original
  }

  override get message(): string {
    return StoreMessage.make(this, texts)
  }
}

const texts: { readonly [R in Reason]: string } = {
  Unavailable: "Postgres cannot be reached or does not serve now; see whether the server runs and takes writes",
  TimedOut:
    "Postgres did not answer in time, or the pool had no connection; tokens may have been taken, and count as spent",
  Refused:
    "Postgres does not let this client in; check its user, its password and its rights on the table effect_retry",
  WrongType: "the table effect_retry is missing or another one; make it with PostgresStore.createTable",
  Full: "Postgres has no memory or disk left, and nothing was taken",
  BadAnswer: "Postgres gave an answer that is not that of a bucket; see what stands between it and this client"
}
