import { Backoff, Deadline, Hint, Verdict } from "@effect-retry/core"
import { SeededRandom } from "@effect-retry/plan"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Schedule } from "effect"
import { law } from "../../../core/test/support/Laws.ts"
import { check } from "../../src/explain/Inputs.ts"
import type { Scheduled } from "../../src/explain/PlanRecord.ts"
import { run } from "../../src/sample/Simulation.ts"
import { operation, policies } from "../Operations.ts"

interface Failing {
  readonly ranMillis: number
  readonly kind: Verdict.Kind
  readonly hintMillis: number
}

const simulated = (policy: Scheduled, { hintMillis, kind, ranMillis }: Failing) =>
  run<never>({
    prepared: check("Simulation.run", policy, undefined).prepared,
    fails: Effect.succeed(true),
    verdict: Verdict.retryable(kind, { hint: Duration.millis(hintMillis) }),
    takesMillis: ranMillis,
    mostAttempts: 1_000
  })

describe("Simulation.run", () => {
  it.effect.prop(
    "starts the attempts that the loop starts, at the same times",
    [policies, fc.integer(), Arbitraries.kind, fc.nat(3_000), fc.oneof(fc.constantFrom(0, 3_000), fc.nat(4_000))],
    ([policy, seed, kind, ranMillis, hintMillis]) =>
      Effect.gen(function* () {
        const failing = { ranMillis, kind, hintMillis }
        const chance = SeededRandom.layer(seed)
        const seen = yield* Effect.provide(
          operation(policy, () => failing),
          chance
        )
        const { attempts, elapsed, waited } = yield* Effect.provide(simulated(policy, failing), chance)
        expect({ starts: attempts.map(({ at }) => at), waited, elapsed }).toEqual(seen)
      }),
    { ...law(60), timeout: 600_000 }
  )

  it.effect.each<readonly [string, Scheduled["backoff"]]>([
    ["a back-off", Backoff.exponential({ base: 100 })],
    ["any schedule", Schedule.exponential(100)]
  ])("starts over after a hint that says so: %s", ([, backoff]) =>
    Effect.gen(function* () {
      const starts = (hint: Hint.Hint) =>
        Effect.map(
          simulated({ maxAttempts: 5, backoff, hint }, { ranMillis: 0, kind: "Throttling", hintMillis: 250 }),
          ({ attempts, end }) => [...attempts.map(({ delay }) => delay), end]
        )
      const floor = { atMost: "1 second", otherwise: "clamp" } as const
      expect(yield* starts(Hint.floor(floor))).toEqual([undefined, 250, 250, 400, 800, "AttemptsSpent"])
      expect(yield* starts(Hint.floor({ ...floor, startsOver: true }))).toEqual([
        undefined,
        250,
        250,
        250,
        250,
        "AttemptsSpent"
      ])
    })
  )

  it.effect.each([
    { at: "in an attempt", ranMillis: 100, waited: 0 },
    { at: "in a delay", ranMillis: 20, waited: 30 }
  ])("ends where a deadline cuts it $at", ({ ranMillis, waited }) =>
    Effect.gen(function* () {
      const policy = { maxAttempts: 3, backoff: Backoff.constant({ delay: 100 }), deadline: Deadline.cut(50) }
      const run = yield* simulated(policy, { ranMillis, kind: "Server", hintMillis: 0 })
      expect(run).toMatchObject({ end: "DeadlinePassed", elapsed: 50, waited })
    })
  )

  it.effect("counts the attempts of a kind by themselves", () =>
    Effect.gen(function* () {
      const policy = { maxAttempts: 2, attemptsByKind: { Throttling: 4 }, backoff: Backoff.constant({ delay: 1 }) }
      const attempts = (kind: Verdict.Kind) =>
        Effect.map(simulated(policy, { ranMillis: 0, kind, hintMillis: 0 }), (run) => run.attempts.length)
      expect([yield* attempts("Throttling"), yield* attempts("Server")]).toEqual([4, 2])
    })
  )
})
