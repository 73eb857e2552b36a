/**
 * Delays of many operations, for tests of their distribution.
 */
import type { Backoff } from "@effect-retry/core"
import { seeded } from "./Draws.ts"
import type { Cdf } from "./KolmogorovSmirnov.ts"
import { critical, statistic } from "./KolmogorovSmirnov.ts"
import { input, trace } from "./Traces.ts"

/** How many operations. */
export const count = 3_000

/** The delays before retry `n` of many operations, each with draws of its own. */
export const samples = (backoff: Backoff.Backoff, n: number): ReadonlyArray<number> => {
  const draws = seeded("curve", n * count)
  return Array.from({ length: count }, (_, operation) => {
    const us = draws.slice(operation * n, (operation + 1) * n)
    return Number(
      trace(
        backoff,
        us.map((u) => input({ u }))
      ).at(-1)
    )
  })
}

/** How far the delays before retry `n` are from a declared distribution, in parts of what chance may cause. */
export const distance = (backoff: Backoff.Backoff, n: number, cdf: Cdf) =>
  statistic(samples(backoff, n), cdf) / critical(count)
