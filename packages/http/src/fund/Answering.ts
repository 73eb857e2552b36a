/**
 * Gives buckets the response to an attempt. Core's port knows no protocol, so the headers travel with the value that
 * `started` and `record` share.
 */
import type { TokenBucket } from "@effect-retry/core"
import type * as Headers from "@effect/platform/Headers"

const headers: unique symbol = Symbol.for("@effect-retry/http/headers")

interface Answering extends TokenBucket.Started {
  /** The headers of the response; `undefined` if there was none. */
  readonly [headers]: () => Headers.Headers | undefined
}

/** An attempt over HTTP. `read` is called when it has ended. */
export const started = (attempt: TokenBucket.Started, read: Answering[typeof headers]): TokenBucket.Started => {
  const answering: Answering = { ...attempt, [headers]: read }
  return answering
}

/** Whether an attempt is one over HTTP. */
export const isAnswering = (attempt: TokenBucket.Started | undefined): attempt is Answering =>
  attempt !== undefined && headers in attempt

/** The headers of the response to an attempt that has ended. */
export const headersOf = (attempt: Answering): Headers.Headers | undefined => attempt[headers]()
