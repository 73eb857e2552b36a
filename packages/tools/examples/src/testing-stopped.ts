// #region test
import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Expect, Scripted, Timeline, VirtualClock } from "@effect-retry/testing"
import { Data, Effect } from "effect"

class NotFound extends Data.TaggedError("NotFound") {}

const policy = {
  classifier: Classifier.fromTags({ NotFound: Verdict.terminal("it is not there") }),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

export const test = Effect.gen(function* () {
  const service = yield* Scripted.make([Scripted.fail(new NotFound())])
  const timeline = yield* Timeline.record(Retry.orStopped(service.call, policy))
  const { reason } = Expect.stopped(timeline, "Terminal")
  Expect.attempts(timeline, 2)
  return reason.why
}).pipe(VirtualClock.run)
// #endregion

export const program = Effect.catchAllDefect(test, (defect) =>
  Effect.succeed(defect instanceof Error ? defect.message : defect)
)

export const expected = `
Expect.attempts: expected 2 attempts, got 1

0  attempt 1  failed: NotFound (0)
0  failed: RetryStopped: not retryable: it is not there (1 attempt in 0)
`.slice(1, -1)
