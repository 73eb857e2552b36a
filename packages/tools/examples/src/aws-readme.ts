import { SeededRandom } from "@effect-retry/testing"
import { Clock } from "effect"
// #region example
import { AwsQuota, AwsRetry } from "@effect-retry/aws"
import { Retry } from "@effect-retry/core"
import { Data, Effect, Layer } from "effect"

class Throttled extends Data.TaggedError("ThrottlingException") {}
class Unavailable extends Data.TaggedError("Unavailable")<{ readonly status: 503 }> {}

const retried = <A, R>(call: Effect.Effect<A, Throttled | Unavailable, R>) => Retry.retry(call, AwsRetry.standard)

const layer = Layer.effect(AwsRetry.Quota, AwsQuota.standard)
// #endregion

/** What the first attempts of an operation fail with. */
const failures = [new Throttled(), new Unavailable({ status: 503 })]

const call = Effect.suspend(() => {
  const failure = failures.shift()
  return failure === undefined ? Clock.currentTimeMillis : Effect.fail(failure)
})

export const program = Effect.gen(function* () {
  const doneAt = yield* retried(call)
  return { doneAt, level: yield* Effect.flatMap(AwsRetry.Quota, ({ level }) => level) }
}).pipe(Effect.provide(layer), Effect.provide(SeededRandom.layerConstant(0.5)))

/** Half of 1 second after the throttle, then half of 100 milliseconds; the 5 tokens of the first retry are gone. */
export const expected = { doneAt: 550, level: 495 }
