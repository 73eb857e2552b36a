// #region types
import { AttemptTimeout, Backoff, Classifier, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy") {}
class Slow extends Data.TaggedError("Slow") {}

const call: Effect.Effect<string, Busy> = Effect.succeed("answer")

const policy = {
  classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}
const attemptTimeout = AttemptTimeout.constant("1 second")
const onTimeout = () => new Slow()

export const asBefore: Effect.Effect<string, Busy> = Retry.retry(call, policy)

export const timed: Effect.Effect<string, Busy | AttemptTimeout.AttemptTimedOut> = Retry.retry(call, {
  ...policy,
  attemptTimeout
})

export const named: Effect.Effect<string, Busy | Slow> = Retry.retry(call, {
  ...policy,
  attemptTimeout: AttemptTimeout.constant("1 second", { onTimeout })
})

export const cut: Effect.Effect<string, Busy | Deadline.DeadlineExceeded> = Retry.retry(call, {
  ...policy,
  deadline: Deadline.cut("10 seconds")
})

export const funded: Effect.Effect<string, Busy, TokenBucket.RetryBucket> = Retry.retry(call, {
  ...policy,
  bucket: TokenBucket.RetryBucket
})

export const told: Effect.Effect<string, Retry.RetryStopped<Busy>> = Retry.orStopped(call, policy)
// #endregion

export const program = Effect.all([asBefore, timed, named, cut, funded, told]).pipe(
  Effect.provideService(TokenBucket.RetryBucket, TokenBucket.unlimited)
)

export const expected = Array.from({ length: 6 }, () => "answer")
