// #region stopped
import { AwsRetry } from "@effect-retry/aws"
import { type Observe, Retry } from "@effect-retry/core"
import { Console, Effect, Option } from "effect"

const why: Observe.Observer = (event) => {
  if (event._tag === "RetryScheduled")
    return Console.log(`attempt ${event.attempt} failed, the retry costs ${event.cost}`)
  if (event._tag !== "GaveUp") return Effect.void
  return Effect.flatMap(event.level, (level) =>
    Console.log(`${Retry.format(event.reason)}; level ${Option.getOrElse(level, () => NaN)}`)
  )
}

const explained = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Retry.orStopped(call, { ...AwsRetry.standard, observe: [why] }).pipe(
    Effect.catchTag("RetryStopped", ({ error, history }) =>
      Effect.zipRight(Console.log(`${history.length} failures in the history`), Effect.fail(error))
    )
  )
// #endregion

import { RetryBucket } from "@effect-retry/core"
import { Layer } from "effect"

const unavailable = Effect.fail({ name: "ServiceUnavailable", status: 503 } as const)

export const program = Effect.gen(function* () {
  const lines: Array<unknown> = []
  const log = (line: unknown) => Effect.sync(() => void lines.push(line))
  const console: Console.Console = { ...(yield* Console.consoleWith(Effect.succeed)), log }
  const nearlyEmpty = Layer.effect(AwsRetry.Quota, RetryBucket.quota({ capacity: 20 }))
  const { name } = yield* Effect.flip(explained(unavailable)).pipe(
    Effect.provide(nearlyEmpty),
    Effect.withConsole(console)
  )
  return [...lines, name].join("\n")
})

export const expected = [
  "attempt 1 failed, the retry costs 14",
  "the bucket refused the retry; level 6",
  "2 failures in the history",
  "ServiceUnavailable"
].join("\n")
