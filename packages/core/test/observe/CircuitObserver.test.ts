import { CircuitBreaker, Observe, Verdict } from "@effect-retry/core"
import * as Metrics from "@effect-retry/core/Metrics"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Metric, Option } from "effect"
import { acquire } from "../fund/Asking.ts"
import * as LogLines from "../support/LogLines.ts"

describe("Observe.circuit", () => {
  it.effect("logs and counts every state of a circuit under its name", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.make((line) => {
          const { level, message } = LogLines.of(line)
          lines.push(`${level} ${String(message)}`)
        })
        const settle = Effect.replicateEffect(Effect.yieldNow(), 20)
        const fail = (breaker: CircuitBreaker.CircuitBreaker) =>
          Effect.flatMap(Effect.map(acquire(breaker), Option.getOrThrow), (granted) =>
            breaker.record({ _tag: "Failed", attempt: 1, granted, verdict: Verdict.server })
          )
        yield* Effect.gen(function* () {
          const breaker = yield* CircuitBreaker.make({
            opensAt: { consecutive: 1 },
            openFor: "10 seconds",
            onChange: Observe.circuit("payments")
          })
          yield* fail(breaker)
          yield* Effect.sleep("10 seconds")
          const granted = Option.getOrThrow(yield* acquire(breaker))
          yield* breaker.record({ _tag: "Succeeded", attempt: 1, granted })
          yield* breaker.isolate
          yield* settle
        }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
        expect(lines).toEqual([
          "Warning circuit payments: open for 10 s",
          "Info circuit payments: half open",
          "Info circuit payments: closed",
          "Warning circuit payments: isolated"
        ])
        const changes = Metric.tagged(Metrics.circuitChanges, "retry.circuit", "payments")
        const count = (state: string) =>
          Effect.map(Metric.value(Metric.tagged(changes, "retry.circuit_state", state)), ({ count }) => count)
        expect(yield* Effect.all(["Closed", "Open", "HalfOpen", "Isolated"].map(count))).toEqual([1, 1, 1, 1])
        const state = Metric.tagged(Metrics.circuitState, "retry.circuit", "payments")
        expect((yield* Metric.value(state)).value).toBe(3)
      })
    )
  )
})
