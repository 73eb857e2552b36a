import { CircuitBreaker } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { circuitOf } from "./CircuitPlay.ts"
import { cockatiel, effect4, failsafeGo, opossum, type Options, polly, resilience4j } from "./CircuitRows.ts"
import { play } from "./CircuitSteps.ts"

const playOurs = (options: Options, steps: string) =>
  VirtualClock.run(Effect.flatMap(CircuitBreaker.make(options), (breaker) => play(circuitOf(breaker), steps)))

describe.each([
  { library: "cockatiel", rows: cockatiel },
  { library: "opossum", rows: opossum },
  { library: "Effect 4.1", rows: effect4 },
  { library: "Polly", rows: polly },
  { library: "resilience4j", rows: resilience4j },
  { library: "failsafe-go", rows: failsafeGo }
])("CircuitBreaker beside $library", ({ rows }) => {
  it.effect.each([...rows])("$id", ({ options, ours, steps }) =>
    Effect.gen(function* () {
      expect(yield* playOurs(options, ours ?? steps)).toBe(ours ?? steps)
    })
  )
})
