// #region changing
import { Backoff, Classifier, Retry } from "@effect-retry/core"
import { Effect, Ref } from "effect"

const calm = { classifier: Classifier.always, maxAttempts: 4, backoff: Backoff.constant({ delay: "1 second" }) }

/** Each operation takes the policy that holds when it begins, and keeps it to its end. */
const retryBy =
  (policy: Ref.Ref<typeof calm>) =>
  <A, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Ref.get(policy), (now) => Retry.retry(call, now))
// #endregion

/** The calls of an operation before the change and of one after it. */
export const program = Effect.gen(function* () {
  const policy = yield* Ref.make(calm)
  const counts: Array<number> = []
  const operation = Effect.gen(function* () {
    let calls = 0
    const call = Effect.suspend(() => Effect.fail(++calls))
    yield* Effect.ignore(retryBy(policy)(call))
    counts.push(calls)
  })
  yield* operation
  yield* Ref.set(policy, { ...calm, maxAttempts: 2 })
  yield* operation
  return counts
})

// #region expected
export const expected = [4, 2]
// #endregion
