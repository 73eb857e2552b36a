import { Duration, Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { AttemptTimeout, Backoff, Classifier, Deadline, Retry } from "@effect-retry/core"

const moreTimeEachTime = {
  attemptTimeout: AttemptTimeout.growing({ initial: "1 second", factor: 2, maximum: "5 seconds" }),
  classifier: Classifier.never,
  maxAttempts: 5,
  backoff: Backoff.constant({ delay: "500 millis" }),
  deadline: Deadline.refuse("10 seconds")
}
// #endregion

export const program = timeline([Effect.never], Retry.orStopped(moreTimeEachTime)).pipe(
  Effect.map(({ calls, outcome }) => ({
    calls,
    reason: outcome.reason._tag,
    error: outcome.error.message,
    elapsed: Duration.format(outcome.elapsed)
  }))
)

export const expected = {
  calls: [0, 1500, 4000, 8500],
  reason: "DeadlinePassed",
  error: "attempt 4 was stopped after 1s 500ms by the deadline of 10s",
  elapsed: "10s"
}
