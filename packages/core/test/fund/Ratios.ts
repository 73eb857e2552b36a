/**
 * What ratios grant: one table for all budgets with a ratio.
 */

// tower-rs/tower 8358ee7, tower/src/retry/budget/tps_budget.rs: there a retry costs trunc(1 / ratio), so 0.7 is as good as 1.
export const ratios = [
  { ratio: 0.7, retries: 6300 },
  { ratio: 0.75, retries: 6750 },
  { ratio: 0.6, retries: 5400 },
  { ratio: 0.4, retries: 3600 },
  { ratio: 0.3, retries: 2700 },
  { ratio: 0.15, retries: 1350 },
  { ratio: 1, retries: 9000 },
  { ratio: 0.1, retries: 900 }
]
