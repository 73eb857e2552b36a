import { Classifier, Observe, Policy, Retry, Verdict } from "@effect-retry/core"
import { Scripted, SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Data, Effect, Logger } from "effect"

class Busy extends Data.TaggedError("Busy") {}

const policy = {
  ...Policy.standard,
  name: "getPage",
  observe: [Observe.logs()],
  classifier: Classifier.fromTags({ Busy: Verdict.throttling })
}

/** Prints the level and the message alone, so that the output is the same each time. */
const logger = Logger.make(({ logLevel, message }) => console.log(logLevel.label, String(message)))

const program = Effect.gen(function* () {
  const service = yield* Scripted.make([Scripted.times(Scripted.fail(new Busy()), Infinity)])
  yield* Effect.ignore(Retry.retry(service.call, policy))
})

Effect.runPromise(
  program.pipe(
    VirtualClock.run,
    Effect.provide(SeededRandom.layerConstant(0.5)),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
)
