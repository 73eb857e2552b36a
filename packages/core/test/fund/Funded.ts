/**
 * Operations whose attempts end as a script says, on a bucket whose level is written down.
 */
import type { Classifier } from "@effect-retry/core"
import { Backoff, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import { Effect } from "effect"

/** How an attempt ends: well, with a failure of a kind, or with one that is not retryable. */
export type End = "ok" | "bad request" | Verdict.Kind

const classifier: Classifier.Classifier<End> = (end) =>
  end === "ok" || end === "bad request" ? Verdict.terminal(end) : Verdict.retryable(end)

export const policy = {
  classifier,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: RetryBucket.Default
}

/** Runs one operation on a bucket, the last end again and again; answers with its attempts and why it stopped. */
export const operate = (
  bucket: RetryBucket.RetryBucket,
  ends: ReadonlyArray<End>,
  { maxAttempts = 3, seen = () => Effect.void }: Options = {}
) =>
  Effect.suspend(() => {
    let attempts = 0
    const attempt = Effect.suspend(() => {
      const end = ends[Math.min(attempts++, ends.length - 1)] ?? "ok"
      return Effect.zipRight(seen(), end === "ok" ? Effect.succeed(end) : Effect.fail(end))
    })
    return Retry.retryOrElse(attempt, { ...policy, maxAttempts }, ({ reason }) => Effect.succeed(reason._tag)).pipe(
      Effect.map((outcome) => ({ outcome, attempts })),
      Effect.provideService(RetryBucket.Default, bucket)
    )
  })

interface Options {
  readonly maxAttempts?: number
  /** Runs in every attempt. */
  readonly seen?: () => Effect.Effect<void>
}

/** The level in every attempt of an operation, and after its end. */
export const levels = (bucket: RetryBucket.RetryBucket, ends: ReadonlyArray<End>, options?: Options) =>
  Effect.gen(function* () {
    const levels: Array<number> = []
    const seen = () => Effect.map(bucket.level.get, (level) => void levels.push(level))
    yield* operate(bucket, ends, { ...options, seen })
    yield* seen()
    return levels
  })

/** Takes at once, not to be interrupted. */
export const take = (bucket: RetryBucket.RetryBucket, kind: Verdict.Kind = "Transient") =>
  Effect.uninterruptibleMask((restore) => bucket.take(kind, restore))
