/**
 * Where metrics are counted, and what their keys cost. This is the file of Effect 4: Effect 3 has one registry.
 */
import { Backoff, Classifier, Observe, Retry, TokenBucket } from "@effect-retry/core"
import * as Metrics from "@effect-retry/core/Metrics"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { vi } from "vitest"

const policyOf = (name: string) => ({
  name,
  observe: [Observe.metrics],
  classifier: Classifier.always,
  bucket: TokenBucket.RetryBucket,
  maxAttempts: 2,
  backoff: Backoff.constant({ delay: "1 second" })
})

const succeeding = (name: string) => Retry.retry(Effect.succeed("done"), policyOf(name))

const quota = Layer.effect(TokenBucket.RetryBucket, TokenBucket.quota())

const inRegistry = <A, E, R>(self: Effect.Effect<A, E, R>, registry: Metric.MetricRegistry) =>
  Effect.provideService(self, Metric.MetricRegistry, registry)

const successes = (name: string, labels: Record<string, string> = {}) =>
  Effect.map(
    Metric.value(
      Metric.withAttributes(Metrics.attempts, {
        "retry.operation": name,
        "retry.outcome": "succeeded",
        "retry.kind": "none",
        ...labels
      })
    ),
    ({ count }) => count
  )

const level = (name: string) =>
  Effect.map(
    Metric.value(Metric.withAttributes(Metrics.bucketLevel, { "retry.operation": name, unit: "{token}" })),
    ({ value }) => value
  )

describe("Observe.metrics", () => {
  it.effect("counts in the registry of the fiber", () =>
    Effect.gen(function* () {
      const [name, one, other] = ["registries/own", new Map(), new Map()]
      yield* succeeding(name)
      yield* inRegistry(succeeding(name), one)
      yield* inRegistry(succeeding(name), other)
      yield* inRegistry(succeeding(name), one)
      expect(yield* successes(name)).toBe(1)
      expect(yield* inRegistry(successes(name), one)).toBe(2)
      expect(yield* inRegistry(successes(name), other)).toBe(1)
      expect(yield* inRegistry(level(name), one)).toBe(500)
    }).pipe(Effect.provide(quota))
  )

  it.effect("keeps its own labels where the fiber has the same, and counts in the registry of the fiber", () =>
    Effect.gen(function* () {
      const name = "registries/labels"
      const registry = new Map()
      const around = { region: "eu", "retry.outcome": "another" }
      const labelled = Effect.provideService(succeeding(name), Metric.CurrentMetricAttributes, around)
      yield* inRegistry(labelled, registry)
      yield* inRegistry(labelled, registry)
      expect(yield* inRegistry(successes(name, { region: "eu" }), registry)).toBe(2)
      expect(yield* successes(name, { region: "eu" })).toBe(0)
    }).pipe(Effect.provide(quota))
  )

  it.effect("begins anew with a series that was removed", () =>
    Effect.gen(function* () {
      const name = "registries/removed"
      yield* succeeding(name)
      yield* Metric.remove(
        Metric.withAttributes(Metrics.attempts, {
          "retry.operation": name,
          "retry.outcome": "succeeded",
          "retry.kind": "none"
        })
      )
      yield* succeeding(name)
      expect(yield* successes(name)).toBe(1)
    }).pipe(Effect.provide(quota))
  )

  it.effect("counts in a series that was read before", () =>
    Effect.gen(function* () {
      const name = "registries/read"
      expect(yield* successes(name)).toBe(0)
      yield* succeeding(name)
      yield* succeeding(name)
      expect(yield* successes(name)).toBe(2)
    }).pipe(Effect.provide(quota))
  )

  it.effect("makes the key of a series once, also where operations take turns", () =>
    Effect.gen(function* () {
      const both = Effect.andThen(succeeding("registries/first"), succeeding("registries/second"))
      yield* both
      const keys = vi.spyOn(JSON, "stringify")
      yield* Effect.repeat(both, { times: 3 })
      expect(keys).not.toHaveBeenCalled()
      keys.mockRestore()
    }).pipe(Effect.provide(quota))
  )
})
