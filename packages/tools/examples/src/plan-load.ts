// #region load
import { Backoff, TokenBucket } from "@effect-retry/core"
import { Load } from "@effect-retry/plan"
import { Duration, Effect, Option } from "effect"

const policy = { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }
const bucket = TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })

const outage = { load: 0.5, seed: 1, patience: "20 seconds", server: { capacityPerSecond: 20 } } as const

const without = Load.recovery({ policy }, outage)
const withBucket = Load.recovery({ policy, bucket }, outage)
// #endregion

export const program = Effect.gen(function* () {
  const recovered = (outcome: Load.Recovery) => Option.map(outcome.recoveredAfter, Duration.format)
  return { without: recovered(yield* without), withBucket: recovered(yield* withBucket) }
})

// #region expected
export const expected = { without: Option.none(), withBucket: Option.some("18s") }
// #endregion
