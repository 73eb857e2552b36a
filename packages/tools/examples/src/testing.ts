// #region test
import { Backoff, Classifier, Jitter, Retry } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Clock, Effect } from "effect"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "1 minute" }).pipe(Backoff.jittered(Jitter.full))
}

const startsOf = Effect.gen(function* () {
  const starts: Array<number> = []
  const call = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    starts.push(now / 1000)
    return Effect.fail("down")
  })
  yield* Effect.ignore(Retry.retry(call, policy))
  return starts
}).pipe(VirtualClock.run)

const scripted = Effect.provide(startsOf, SeededRandom.layerFixed([0, 0.5, 0.25]))
const constant = Effect.provide(startsOf, SeededRandom.layerConstant(0.5))
const seeded = Effect.provide(startsOf, SeededRandom.layer("any seed"))
// #endregion

export const program = Effect.gen(function* () {
  const once = yield* seeded
  const again = yield* seeded
  return { scripted: yield* scripted, constant: yield* constant, repeatable: once.join() === again.join() }
})

// #region expected
export const expected = {
  scripted: [0, 0, 60, 120],
  constant: [0, 30, 90, 210],
  repeatable: true
}
// #endregion
