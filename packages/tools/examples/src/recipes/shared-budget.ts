import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Data, Effect, Layer } from "effect"

class Unavailable extends Data.TaggedError("Unavailable") {}

const funded = {
  classifier: Classifier.fromTags({ Unavailable: Verdict.server }),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: TokenBucket.RetryBucket
}

const readItem = <A, R>(call: Effect.Effect<A, Unavailable, R>) => Retry.retry(call, funded)
const saveItem = <A, R>(call: Effect.Effect<A, Unavailable, R>) => Retry.retry(call, { ...funded, maxAttempts: 5 })

const budget = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }))
// #endregion

const down = Effect.fail(new Unavailable())
const up = Effect.succeed("item")

/** How many calls so many operations made one after the other. */
const calls = <A, E, R>(times: number, operation: Effect.Effect<A, E, R>) =>
  Effect.replicateEffect(Effect.exit(operation), times, { discard: true })

const load = (answer: Effect.Effect<string, Unavailable>) =>
  Effect.map(
    timeline([answer], (call) => calls(10, Effect.zip(Effect.exit(readItem(call)), Effect.exit(saveItem(call))))),
    ({ calls }) => calls.length
  )

export const program = Effect.gen(function* () {
  const inOutage = yield* load(down)
  const stillDown = yield* load(down)
  const backUp = yield* load(up)
  const nextOutage = yield* load(down)
  return { inOutage, stillDown, backUp, nextOutage }
}).pipe(Effect.provide(budget))

// #region expected
export const expected = { inOutage: 30, stillDown: 20, backUp: 20, nextOutage: 22 }
// #endregion
