/**
 * Operations whose attempts end as a script says, on a bucket whose level is written down.
 */
import type { Classifier, TokenBucket } from "@effect-retry/core"
import { Backoff, Retry, Verdict } from "@effect-retry/core"
import { Effect } from "effect"

/** How an attempt ends: well, with a failure of a kind, or with one that is not retryable. */
export type End = "ok" | "bad request" | Verdict.Kind

const classifier: Classifier.Classifier<End> = (end) =>
  end === "ok" || end === "bad request" ? Verdict.terminal(end) : Verdict.retryable(end)

export const policy = {
  classifier,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

interface Options {
  readonly maxAttempts?: number
  /** Runs in every attempt. */
  readonly seen?: () => Effect.Effect<void>
}

/** An attempt that ends as the script says, the last end again and again, and the number of its runs. */
export const scripted = (ends: ReadonlyArray<End>, seen: () => Effect.Effect<void> = () => Effect.void) => {
  const count = { attempts: 0 }
  const attempt = Effect.suspend(() => {
    const end = ends[Math.min(count.attempts++, ends.length - 1)] ?? "ok"
    return Effect.zipRight(seen(), end === "ok" ? Effect.succeed(end) : Effect.fail(end))
  })
  return { attempt, count }
}

/** Runs one operation on a bucket; answers with its attempts and why it stopped. */
export const operate = (
  bucket: TokenBucket.TokenBucket,
  ends: ReadonlyArray<End>,
  { maxAttempts = 3, seen }: Options = {}
) =>
  Effect.suspend(() => {
    const { attempt, count } = scripted(ends, seen)
    return Retry.retryOrElse(attempt, { ...policy, maxAttempts, bucket }, ({ reason }) =>
      Effect.succeed(reason._tag)
    ).pipe(Effect.map((outcome) => ({ outcome, attempts: count.attempts })))
  })

/** The level in every attempt of an operation, and after its end. */
export const levels = (bucket: TokenBucket.TokenBucket, ends: ReadonlyArray<End>, options?: Options) =>
  Effect.gen(function* () {
    const levels: Array<number> = []
    const seen = () => Effect.map(bucket.level, (level) => void levels.push(level))
    yield* operate(bucket, ends, { ...options, seen })
    yield* seen()
    return levels
  })
