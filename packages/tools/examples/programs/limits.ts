import { AttemptTimeout, Backoff, Classifier, Deadline, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Scripted, SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy") {}

const policy = {
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
  maxAttempts: 5,
  backoff: Backoff.exponential({ base: "1 second" }).pipe(Backoff.jittered(Jitter.full)),
  deadline: Deadline.refuse("5 seconds")
}

const program = Effect.gen(function* () {
  const service = yield* Scripted.make([
    Scripted.hang,
    Scripted.fail(new Busy(), { after: "1 second" }),
    Scripted.fail(new Busy(), { after: "300 millis" })
  ])
  const timeline = yield* Timeline.record(Retry.retry(service.call, policy))
  console.log(Timeline.toText(timeline))
})

Effect.runPromise(program.pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0.5))))
