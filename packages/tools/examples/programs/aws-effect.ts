import { AwsQuota, AwsRetry } from "@effect-retry/aws"
import { Retry } from "@effect-retry/core"
import { Console, Data, Effect, Layer } from "effect"

class Throttled extends Data.TaggedError("ThrottlingException") {}
class Unavailable extends Data.TaggedError("Unavailable")<{ readonly status: 503 }> {}

// Stands for your call: the service throttles, then it fails, and then it answers.
const failures = [new Throttled(), new Unavailable({ status: 503 })]
const getOrder = Effect.suspend(() => {
  const failure = failures.shift()
  return failure === undefined ? Effect.succeed("order 7") : Effect.fail(failure)
})

const program = Effect.gen(function* () {
  const order = yield* Retry.retry(getOrder, AwsRetry.standard)
  const quota = yield* AwsRetry.Quota
  yield* Console.log(`${order}, tokens left: ${yield* quota.level}`)
})

Effect.runPromise(Effect.provide(program, Layer.effect(AwsRetry.Quota, AwsQuota.standard)))
