/** What the strategy logs of a policy that died inside the SDK, with a secret in every place. */
import { SdkRetryStrategy } from "@effect-retry/aws"
import { Backoff } from "@effect-retry/core"
import { expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as Printed from "../../../core/test/support/Printed.ts"
import * as Secrets from "../../../core/test/support/Secrets.ts"

it.effect.each(Secrets.all)("logs of a policy that died no secret in $place", ({ error, secret }) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ cause, message }) => void lines.push(message, cause))
  return Effect.gen(function* () {
    const classifier = () => {
      throw error
    }
    const strategy = yield* SdkRetryStrategy.make({
      classifier,
      maxAttempts: 2,
      backoff: Backoff.constant({ delay: "1 second" })
    })
    const token = yield* Effect.promise(() => strategy.acquireInitialRetryToken(""))
    yield* Effect.promise(() => strategy.refreshRetryTokenForRetry(token, { error: "busy" }).catch(() => undefined))
    expect(lines.flatMap((value) => Printed.showing(value, secret))).toEqual([])
    expect(lines).toHaveLength(2)
  }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
})
