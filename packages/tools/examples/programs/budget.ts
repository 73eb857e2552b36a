import { Classifier, Policy, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Scripted, VirtualClock } from "@effect-retry/testing"
import { Console, Data, Effect, Layer } from "effect"

class Busy extends Data.TaggedError("Busy") {}

const policy = {
  ...Policy.standard,
  classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
  bucket: TokenBucket.RetryBucket
}

/** Ten tokens for retries; each success puts back a tenth of one. */
const budget = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }))

const program = Effect.gen(function* () {
  const service = yield* Scripted.make([Scripted.times(Scripted.fail(new Busy()), Infinity)])
  const operation = Effect.ignore(Retry.retry(service.call, policy))
  yield* Effect.replicateEffect(operation, 10)
  yield* Console.log("calls of the first ten operations:", yield* service.calls)
  yield* Effect.replicateEffect(operation, 10)
  yield* Console.log("calls of all twenty:", yield* service.calls)
})

Effect.runPromise(program.pipe(Effect.provide(budget), VirtualClock.run))
