import { Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { Scripted, VirtualClock } from "@effect-retry/testing"
import { Console, Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy") {}
class Lost extends Data.TaggedError("Lost")<{ readonly sent: boolean }> {}
class NotFound extends Data.TaggedError("NotFound") {}

const policy = {
  ...Policy.standard,
  classifier: Classifier.fromTags<Busy | Lost | NotFound>({
    Busy: Verdict.throttling,
    Lost: ({ sent }) => (sent ? Verdict.terminal("the order may have been placed") : Verdict.transient)
  })
}

const callsFor = (error: Busy | Lost | NotFound) =>
  Effect.gen(function* () {
    const service = yield* Scripted.make([Scripted.times(Scripted.fail(error), Infinity)])
    yield* Effect.ignore(Retry.retry(service.call, policy))
    return yield* service.calls
  })

const program = Effect.gen(function* () {
  yield* Console.log("Busy:", yield* callsFor(new Busy()))
  yield* Console.log("Lost, not sent:", yield* callsFor(new Lost({ sent: false })))
  yield* Console.log("Lost, sent:", yield* callsFor(new Lost({ sent: true })))
  yield* Console.log("NotFound:", yield* callsFor(new NotFound()))
})

Effect.runPromise(VirtualClock.run(program))
