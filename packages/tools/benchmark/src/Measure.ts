/**
 * Measures rows side by side: one sample of each per round, the garbage collected before every sample.
 *
 * Whatever else the machine does slows neighbouring samples alike, so a row is compared with the baseline round by
 * round, and the answer is the median of those ratios with the middle half of them.
 */
import type { Row, Workload } from "./Workload.ts"

/** The middle of some numbers: a quarter of them lies below `low`, another quarter above `high`. */
export interface Spread {
  readonly low: number
  readonly median: number
  readonly high: number
}

export interface Measured {
  readonly row: Row
  /** In the workload's unit. */
  readonly value: Spread
  /** The row's value over that of the baseline. */
  readonly ratio: Spread
}

export const measure = async (workload: Workload, collect: () => void): Promise<ReadonlyArray<Measured>> => {
  const samples = workload.rows.map((): Array<number> => [])
  // The first round only warms up.
  for (let round = 0; round <= workload.rounds; round++) {
    for (let turn = 0; turn < workload.rows.length; turn++) {
      // Every other round runs backwards, and another row begins each time: no row always runs after the same other one.
      const step = round % 2 === 0 ? turn : workload.rows.length - 1 - turn
      const i = (step + Math.floor(round / 2)) % workload.rows.length
      collect()
      const sample = await workload.rows[i]?.sample()
      if (round > 0 && sample !== undefined) samples[i]?.push(sample)
    }
  }
  const baseline = samples[workload.rows.findIndex(({ name }) => name === workload.baseline)]
  if (baseline === undefined) throw new Error(`${workload.title}: no row is named ${workload.baseline}`)
  return workload.rows.map((row, i) => {
    const values = samples[i] ?? []
    return { row, value: spread(values), ratio: spread(ratios(values, baseline)) }
  })
}

/** Pairs the samples of a row with those of the baseline in the same rounds. */
export const ratios = (values: ReadonlyArray<number>, baseline: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value, round) => value / (baseline[round] ?? Number.NaN))

export const spread = (values: ReadonlyArray<number>): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  return { low: quantile(sorted, 0.25), median: quantile(sorted, 0.5), high: quantile(sorted, 0.75) }
}

/** Interpolates between the two neighbours of a quantile. `NaN` for no numbers at all. */
export const quantile = (sorted: ReadonlyArray<number>, q: number): number => {
  const position = (sorted.length - 1) * q
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}
