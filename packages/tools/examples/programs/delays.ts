import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Scripted, SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy") {}

const policy = {
  classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
  maxAttempts: 5,
  backoff: Backoff.exponential({ base: "1 second" }).pipe(Backoff.capped("5 seconds"), Backoff.jittered(Jitter.full))
}

const program = Effect.gen(function* () {
  const service = yield* Scripted.make([Scripted.times(Scripted.fail(new Busy()), Infinity)])
  const timeline = yield* Timeline.record(Retry.retry(service.call, policy))
  console.log(Timeline.toText(timeline))
})

Effect.runPromise(program.pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0.5))))
