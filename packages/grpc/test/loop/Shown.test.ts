/** What observers of hedges are shown of errors, printed in all ways, with a secret in every place. */
import { Classifier, type Observe } from "@effect-retry/core"
import { Hedging } from "@effect-retry/grpc"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as Printed from "../../../core/test/support/Printed.ts"
import * as Secrets from "../../../core/test/support/Secrets.ts"

describe("a hedge", () => {
  const failing = (error: unknown, observer: Observe.Observer) =>
    Effect.exit(
      Hedging.run(() => Effect.fail(error), {
        name: "hedge",
        classifier: Classifier.always,
        maxAttempts: 1,
        hedgingDelay: 0,
        observe: [observer]
      })
    )

  it.effect.each(Secrets.all)("tells observers no secret in $place", ({ error, secret }) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const observer: Observe.Observer = (event) => Effect.sync(() => void seen.push(event, event.details()))
      yield* failing(error, observer)
      expect(seen.flatMap((value) => Printed.showing(value, secret))).toEqual([])
      expect(seen).toHaveLength(4)
    })
  )

  it.effect.each(Secrets.all)("logs of an observer that died no secret in $place", ({ error, secret }) =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ cause, message }) => void lines.push(message, cause))
      const told = failing("busy", () => Effect.die(error))
      yield* Effect.provide(told, Logger.replace(Logger.defaultLogger, logger))
      expect(lines.flatMap((value) => Printed.showing(value, secret))).toEqual([])
      expect(lines).toHaveLength(4)
    })
  )
})
