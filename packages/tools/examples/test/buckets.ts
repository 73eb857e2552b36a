/** Asks and tells buckets as the loop does. */
import type { TokenBucket, Verdict } from "@effect-retry/core"
import { Duration, Effect, Option } from "effect"

/** The request of a retry after a failure of a kind, or of a first attempt; without a limit for waiting. */
export const request = (kind?: Verdict.Kind, atMost?: Duration.DurationInput): TokenBucket.Request => ({
  attempt: kind === undefined ? 1 : 2,
  kind: Option.fromNullable(kind),
  delay: Duration.zero,
  atMost: Option.map(Option.fromNullable(atMost), Duration.decode),
  restore: (effect) => effect
})

/** The tokens that a bucket grants; `None` where it refuses. */
export const tokensFor = <E>(
  bucket: TokenBucket.TokenBucket<E>,
  kind?: Verdict.Kind,
  atMost?: Duration.DurationInput
): Effect.Effect<Option.Option<number>, E> =>
  Effect.map(
    bucket.acquire(request(kind, atMost)),
    Option.map(({ tokens }) => tokens)
  )

/** How a first attempt ended for which the bucket was not asked. */
export const outcomeOf = (ended: "Succeeded" | Verdict.Kind): TokenBucket.Outcome => {
  const first = { attempt: 1, granted: { tokens: 0, refund: Effect.void } }
  return ended === "Succeeded"
    ? { _tag: "Succeeded", ...first }
    : { _tag: "Failed", ...first, verdict: { _tag: "Retryable", kind: ended, hint: Option.none() } }
}
