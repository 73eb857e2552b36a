// #region stopped
import { AwsRetry } from "@effect-retry/aws"
import { Retry } from "@effect-retry/core"
import { Console, Effect, Option } from "effect"

const explained = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Retry.orStopped(call, AwsRetry.standard).pipe(
    Effect.catchTag("RetryStopped", ({ error, history, level, reason }) =>
      Effect.gen(function* () {
        yield* Console.log(Retry.format(reason))
        for (const { attempt, cost } of history) yield* Console.log(`attempt ${attempt} failed, the next cost ${cost}`)
        yield* Console.log(`level of the quota: ${Option.getOrElse(yield* level, () => NaN)}`)
        return yield* Effect.fail(error)
      })
    )
  )
// #endregion

import { printingTo } from "./printed.ts"
import { TokenBucket } from "@effect-retry/core"
import { Layer } from "effect"

const unavailable = Effect.fail({ name: "ServiceUnavailable", status: 503 } as const)

export const program = Effect.gen(function* () {
  const lines: Array<string> = []
  const nearlyEmpty = Layer.effect(AwsRetry.Quota, TokenBucket.quota({ capacity: 20 }))
  const { name } = yield* Effect.flip(explained(unavailable)).pipe(Effect.provide(nearlyEmpty), printingTo(lines))
  return [...lines, name].join("\n")
})

export const expected = [
  "the bucket refused the retry",
  "attempt 1 failed, the next cost 14",
  "attempt 2 failed, the next cost 0",
  "level of the quota: 6",
  "ServiceUnavailable"
].join("\n")
