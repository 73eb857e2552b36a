/**
 * The error of buckets in Redis.
 *
 * It shows the name of the bucket and the code of the server or the connection. Its message, its text, its JSON and
 * what `inspect` and `Cause.pretty` print contain no key, argument, address or credential.
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
export class RedisError extends Data.TaggedError("RedisError")<{
  readonly reason: Reason
  /** The name of the bucket, without the key of a keyed bucket. */
  readonly bucket: string
  /** The code of the server or of the connection, such as `OOM` or `ECONNREFUSED`; empty if there is none. */
  readonly code: string
  /** What may be shown of `error`: its class, code and stack, and those of its causes, but no message. */
  readonly cause?: Untrusted.ShownError
}> {
  constructor(failed: StoreMessage.Failed) {
    super(StoreMessage.parts(failed))
  }

  /** The client's error, which may hold the command's arguments; `undefined` if it has not answered. Printing leaves it out. */
  get error(): unknown {
    return this.cause?.original
  }

  override get message(): string {
    return StoreMessage.make(this, texts)
  }
}

const texts: { readonly [R in Reason]: string } = {
  Unavailable: "Redis cannot be reached or does not serve now; see whether the server runs and takes writes",
  TimedOut: "Redis did not answer in time; tokens may have been taken, and count as spent",
  Refused:
    "Redis does not let this client in; check its user, its password, its permissions, its database and renamed commands",
  WrongType: "the key holds a value that no bucket wrote, and was left alone; delete it or choose another name",
  Full: "Redis has no memory left, and nothing was taken; raise maxmemory or evict other keys",
  BadAnswer: "Redis gave an answer that is not that of a bucket; see what stands between it and this client"
}
