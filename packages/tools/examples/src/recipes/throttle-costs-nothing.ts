import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Deadline, Retry, Verdict } from "@effect-retry/core"
import { Data } from "effect"

class SlowDown extends Data.TaggedError("SlowDown") {}
class ServerError extends Data.TaggedError("ServerError") {}

const patient = {
  classifier: Classifier.fromTags({ SlowDown: Verdict.throttling, ServerError: Verdict.server }),
  maxAttempts: 3,
  attemptsByKind: { Throttling: Infinity },
  backoff: Backoff.constant({ delay: "10 seconds" }),
  deadline: Deadline.refuse("5 minutes")
}
// #endregion

const slowDown = Effect.fail<SlowDown | ServerError>(new SlowDown())
const serverError = Effect.fail<SlowDown | ServerError>(new ServerError())

export const program = Effect.all({
  both: timeline([slowDown, serverError, slowDown, slowDown, serverError, serverError], Retry.retry(patient)),
  throttled: Effect.map(timeline([slowDown], Retry.orStopped(patient)), ({ calls, outcome }) => ({
    calls: calls.length,
    reason: outcome.reason._tag
  }))
})

/** Three server errors spend the attempts, the throttles between them spend none; the deadline bounds those. */
export const expected = {
  both: { calls: [0, 10_000, 20_000, 30_000, 40_000, 50_000], outcome: new ServerError() },
  throttled: { calls: 30, reason: "DeadlinePassed" }
}
