import { timeline } from "./scripted.ts"
// #region kotlin
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"

/** A first attempt costs 10 tokens of the 500 and a retry 5, as an SDK can be configured. */
const client = Effect.map(TokenBucket.quota({ cost: { first: 10, orElse: 5 } }), (quota) => ({
  rateLimiter: TokenBucket.firstAttempts(quota),
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: quota
}))
// #endregion

const down = Effect.fail("down")

/** Twenty-five operations cost all of the tokens, so the next one makes no call. */
export const program = Effect.gen(function* () {
  const policy = yield* client
  yield* Effect.replicateEffect(Effect.exit(Retry.retry(down, policy)), 25)
  return { level: yield* policy.bucket.level, next: yield* timeline([down], Retry.retry(policy)) }
})

export const expected = { level: 0, next: { calls: [], outcome: new Retry.AttemptRefused({ attempt: 1 }) } }
