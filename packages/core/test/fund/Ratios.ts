/**
 * What ratios grant: one table for all budgets with a ratio.
 */

// tower-rs/tower 8358ee7, tower/src/retry/budget/tps_budget.rs: there a retry costs trunc(1 / ratio), so 0.7 is as good as 1.
export const ratios = [
  { ratio: 0.7, retries: 2100 },
  { ratio: 0.75, retries: 2250 },
  { ratio: 0.6, retries: 1800 },
  { ratio: 0.4, retries: 1200 },
  { ratio: 0.3, retries: 900 },
  { ratio: 0.15, retries: 450 },
  { ratio: 1, retries: 3000 },
  { ratio: 0.1, retries: 300 }
]
