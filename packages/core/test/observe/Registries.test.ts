/**
 * Where metrics are counted. This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import { Backoff, Classifier, Observe, Retry } from "@effect-retry/core"
import * as Metrics from "@effect-retry/core/Metrics"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Metric } from "effect"

const name = "registries/own"

const succeeding = Retry.retry(Effect.succeed("done"), {
  name,
  observe: [Observe.metrics],
  classifier: Classifier.always,
  maxAttempts: 2,
  backoff: Backoff.constant({ delay: "1 second" })
})

const successes = Metrics.attempts.pipe(
  Metric.tagged("retry.operation", name),
  Metric.tagged("retry.outcome", "succeeded"),
  Metric.tagged("retry.kind", "none")
)

describe("Observe.metrics", () => {
  it.effect("counts in the one registry of all programs", () =>
    Effect.gen(function* () {
      const [one, other] = [ManagedRuntime.make(Layer.empty), ManagedRuntime.make(Layer.empty)]
      yield* Effect.promise(() => one.runPromise(succeeding))
      yield* Effect.promise(() => other.runPromise(succeeding))
      expect((yield* Metric.value(successes)).count).toBe(2)
    })
  )
})
