/**
 * What the tests ask of buckets, and tell them.
 */
import type { TokenBucket, Verdict } from "@effect-retry/core"
import { Duration, Effect, Option } from "effect"

/** What a test says of a request; the rest is a retry after a transient failure, without a wait and without a deadline. */
export interface Asked {
  readonly attempt?: number
  readonly kind?: Verdict.Kind
  readonly delay?: Duration.DurationInput
  readonly atMost?: Duration.DurationInput
}

/** Asks as the loop does: only a wait can be interrupted. */
export const acquire = (
  bucket: TokenBucket.TokenBucket,
  { atMost, attempt = 2, delay = 0, kind = "Transient" }: Asked = {}
) =>
  Effect.uninterruptibleMask((restore) =>
    bucket.acquire({
      attempt,
      kind: attempt === 1 ? Option.none() : Option.some(kind),
      delay: Duration.decode(delay),
      atMost: Option.map(Option.fromNullable(atMost), Duration.decode),
      restore
    })
  )

/** Whether the request is granted. */
export const isGranted = (bucket: TokenBucket.TokenBucket, asked?: Asked) =>
  Effect.map(acquire(bucket, asked), Option.isSome)

/** Tells a bucket that an attempt succeeded for which it had granted `tokens`. */
export const succeed = (bucket: TokenBucket.TokenBucket, attempt: number, tokens = 0) =>
  bucket.record({ _tag: "Succeeded", attempt, granted: { tokens, refund: Effect.void } })

/** Tells a bucket that an attempt failed for which it had granted `tokens`. */
export const fail = (bucket: TokenBucket.TokenBucket, verdict: Verdict.Verdict, attempt = 1, tokens = 0) =>
  bucket.record({ _tag: "Failed", attempt, granted: { tokens, refund: Effect.void }, verdict })
