// #region presets
import { HttpRetry } from "@effect-retry/http"
import { Plan } from "@effect-retry/plan"
import { Effect } from "effect"

const worst = Plan.explain(HttpRetry.standard).worst
const usual = Plan.sample(HttpRetry.standard, { seed: 1, samples: 1_000, failureProbability: 0.1 })
// #endregion

export const program = Effect.map(usual, ({ loadFactor }) => ({ worst: worst.loadFactor, usual: loadFactor }))

// #region expected
export const expected = { worst: 3, usual: 1.107 }
// #endregion
