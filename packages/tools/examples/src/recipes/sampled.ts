import { Duration } from "effect"
// #region policy
import { Backoff, Jitter } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"
import { Effect } from "effect"

const policy = {
  maxAttempts: 5,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("2 seconds"), Backoff.jittered(Jitter.full))
}

const sample = Plan.sample(policy, { seed: 1, samples: 10_000, failureProbability: 0.3 })
// #endregion

export const program = Effect.map(sample, ({ attempts, waited, ...others }) => ({
  ...others,
  attempts: { ...attempts },
  waited: {
    p50: Duration.format(waited.p50),
    p90: Duration.format(waited.p90),
    p99: Duration.format(waited.p99),
    max: Duration.format(waited.max)
  }
}))

// #region expected
export const expected = {
  succeeded: 0.9975,
  loadFactor: 1.421,
  attempts: { p50: 1, p90: 2, p99: 4, max: 5 },
  waited: { p50: "0", p90: "88ms", p99: "473ms", max: "1s 277ms" }
}
// #endregion
