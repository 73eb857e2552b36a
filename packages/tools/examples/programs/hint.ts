import { Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { Scripted, SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: string }> {}

const policy = {
  ...Policy.standard,
  classifier: Classifier.fromTags({
    Busy: ({ retryAfter }: Busy) => Verdict.retryable("Throttling", { hint: `${Number(retryAfter)} seconds` })
  })
}

const program = Effect.gen(function* () {
  const service = yield* Scripted.make([
    Scripted.fail(new Busy({ retryAfter: "3" })),
    Scripted.fail(new Busy({ retryAfter: "3600" }))
  ])
  const timeline = yield* Timeline.record(Retry.retry(service.call, policy))
  console.log(Timeline.toText(timeline))
})

Effect.runPromise(program.pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0.5))))
