import { timeline } from "./scripted.ts"
// #region owned
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Context, Effect, Layer } from "effect"

interface Pages {
  readonly get: <A, R>(request: Effect.Effect<A, string, R>) => Effect.Effect<A, string, R>
}
class Client extends Context.Tag("app/Client")<Client, Pages>() {}

const policy = { classifier: Classifier.always, maxAttempts: 4, backoff: Backoff.constant({ delay: "1 second" }) }

/** The bucket is made while the service is built, so the type of `get` does not show it. */
const layer = Layer.effect(
  Client,
  Effect.map(TokenBucket.successRatio({ ratio: 0.1, capacity: 5 }), (bucket) => ({
    get: (request) => Retry.retry(request, { ...policy, bucket })
  }))
)
// #endregion

// #region provided
/** The same for a policy that names a tag: the service reads the bucket once, and provides it to each call. */
const fromTag = Layer.effect(
  Client,
  Effect.map(TokenBucket.RetryBucket, (bucket) => ({
    get: (request) =>
      Effect.provideService(
        Retry.retry(request, { ...policy, bucket: TokenBucket.RetryBucket }),
        TokenBucket.RetryBucket,
        bucket
      )
  }))
).pipe(Layer.provide(Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 5 }))))
// #endregion

const twice = Effect.gen(function* () {
  const { get } = yield* Client
  const calls = Effect.map(timeline([Effect.fail("down")], get), ({ calls }) => calls.length)
  return [yield* calls, yield* calls]
})

export const program = Effect.all([Effect.provide(twice, layer), Effect.provide(twice, fromTag)])

export const expected = [
  [4, 3],
  [4, 3]
]
