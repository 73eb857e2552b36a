/**
 * What is retried, and what several workloads retry it with.
 */
import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Effect } from "effect"

export class Unavailable extends Error {
  readonly _tag = "Unavailable"
}

// Made once: a new error takes microseconds for its stack, which would hide what is measured.
export const unavailable = new Unavailable("unavailable")

export type Call = Effect.Effect<number, Unavailable>

export const ready: Call = Effect.suspend(() => Effect.succeed(1))

/** Lets other fibers go first, as a call does that waits for an answer. */
export const yielding: Call = Effect.zipRight(Effect.yieldNow(), ready)

export const down: Call = Effect.fail(unavailable)

/** Fails twice, then succeeds, and so on. A new one for each row. */
export const flaky = (): Call => {
  const success = Effect.succeed(1)
  let calls = 0
  return Effect.suspend(() => (++calls % 3 === 0 ? success : down))
}

export const readyPromise = async (): Promise<number> => 1

export const flakyPromise = (failures = 2): (() => Promise<number>) => {
  let calls = 0
  return async () => {
    if (++calls % (failures + 1) !== 0) throw unavailable
    return 1
  }
}

export const isUnavailable = (error: unknown): error is Unavailable => error instanceof Unavailable

/** Exponential with base zero, capped, full jitter, three attempts: all the arithmetic and no wait. */
export const policy = {
  classifier: Classifier.fromTags({ Unavailable: Verdict.transient }),
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: 0 }).pipe(Backoff.capped("20 seconds"), Backoff.jittered(Jitter.full))
}

export const ours = (self: Call): Call => Retry.retry(self, policy)

/** Counts attempts and looks at the tag, and nothing else: no delay, no draw. */
export const handWritten = (self: Call, attempt = 1): Call =>
  Effect.catchAll(self, (error) =>
    error._tag === "Unavailable" && attempt < policy.maxAttempts ? handWritten(self, attempt + 1) : Effect.fail(error)
  )
