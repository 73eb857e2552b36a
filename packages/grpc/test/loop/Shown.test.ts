/** What observers of hedges are shown of errors, printed in all ways, with a secret in every place. */
import { type Observe, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Logger } from "effect"
import * as Printed from "../../../core/test/support/Printed.ts"
import * as Secrets from "../../../core/test/support/Secrets.ts"
import * as HedgingEvents from "../../src/loop/HedgingEvents.ts"

describe("a hedge", () => {
  const policy = (observer: Observe.Observer): Parameters<typeof HedgingEvents.tell>[0] =>
    ({ name: "hedge", maxAttempts: 2, observe: [observer], bucket: undefined }) as never

  const failed = (error: unknown) => ({
    _tag: "AttemptFailed" as const,
    error,
    verdict: Verdict.transient,
    ran: Duration.zero,
    rateLimiterWait: Duration.zero
  })

  const at = { attempt: 1, elapsedMillis: 0 }

  it.effect.each(Secrets.all)("tells observers no secret in $place", ({ error, secret }) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const observer: Observe.Observer = (event) => Effect.sync(() => void seen.push(event, event.details()))
      yield* HedgingEvents.tell(policy(observer), at, failed(error))
      expect(seen.flatMap((value) => Printed.showing(value, secret))).toEqual([])
      expect(seen).toHaveLength(2)
    })
  )

  it.effect.each(Secrets.all)("logs of an observer that died no secret in $place", ({ error, secret }) =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ cause, message }) => void lines.push(message, cause))
      const told = HedgingEvents.tell(
        policy(() => Effect.die(error)),
        at,
        failed("busy")
      )
      yield* Effect.provide(told, Logger.replace(Logger.defaultLogger, logger))
      expect(lines.flatMap((value) => Printed.showing(value, secret))).toEqual([])
      expect(lines).toHaveLength(2)
    })
  )
})
