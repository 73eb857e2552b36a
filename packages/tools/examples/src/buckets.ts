import { Ref } from "effect"
// #region budget
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Effect, Layer } from "effect"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" }),
  bucket: TokenBucket.RetryBucket
}

/** A hundred requests, all made at once. */
const page = <A, E, R>(request: Effect.Effect<A, E, R>) =>
  Effect.replicateEffect(Effect.exit(Retry.retry(request, policy)), 100, { concurrency: "unbounded" })

const budget = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }))

const main = <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.provide(page(request), budget)
// #endregion

/** How many calls a server that is down gets. */
const calls = <A>(client: (request: Effect.Effect<never, string>) => Effect.Effect<A>) =>
  Effect.gen(function* () {
    const counter = yield* Ref.make(0)
    yield* client(
      Effect.zipRight(
        Ref.update(counter, (n) => n + 1),
        Effect.fail("down")
      )
    )
    return yield* Ref.get(counter)
  })

export const program = Effect.all({
  budget: calls(main),
  unlimited: calls((request) => Effect.provideService(page(request), TokenBucket.RetryBucket, TokenBucket.unlimited))
})

// #region expected
export const expected = { budget: 110, unlimited: 300 }
// #endregion
