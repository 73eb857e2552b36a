// #region test
import { AttemptTimeout, Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Expect, Scripted, SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy") {}

const policy = {
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "1 minute" }).pipe(Backoff.jittered(Jitter.full))
}

export const test = Effect.gen(function* () {
  const service = yield* Scripted.make([
    Scripted.fail(new Busy(), { after: "20 millis" }),
    Scripted.hang,
    Scripted.succeed("answer")
  ])
  const timeline = yield* Timeline.record(Retry.retry(service.call, policy))
  Expect.starts(timeline, [0, "30.02 seconds", "92.02 seconds"])
  Expect.waits(timeline, ["30 seconds", "60 seconds"])
  Expect.noTrailingWait(timeline)
  return Timeline.toText(timeline)
}).pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0.5)))
// #endregion

export const program = test

export const expected = `
          0  attempt 1  failed: Busy (20ms)
       20ms  wait 30s
   30s 20ms  attempt 2  interrupted (2s)
   32s 20ms  wait 1m
1m 32s 20ms  attempt 3  succeeded: answer (0)
1m 32s 20ms  succeeded: answer
`.slice(1, -1)
