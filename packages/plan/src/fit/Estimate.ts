/**
 * Estimates from simulations, with their uncertainty.
 */

/** A number from simulations, with the ends of its 95 % interval. */
export interface Estimate {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** Student's t for 95 %, by degrees of freedom. */
const student = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]

/** The estimate from independent runs, at least two and at most ten. */
export const ofRuns = (values: ReadonlyArray<number>): Estimate => {
  const mean = sum(values) / values.length
  const freedom = values.length - 1
  const variance = sum(values.map((value) => (value - mean) ** 2)) / freedom
  const reach = (student[freedom - 1] ?? 2.262) * Math.sqrt(variance / values.length)
  return { mean, low: mean - reach, high: mean + reach }
}

/**
 * The interval of a counted ratio: Wilson's, which has a width even if all or none were counted.
 *
 * Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 22 (1927).
 */
export const ofCounts = (counted: number, all: number): Estimate => {
  if (all === 0) return { mean: 0, low: 0, high: 1 }
  const z = 1.96
  const mean = counted / all
  const scale = 1 + z ** 2 / all
  const middle = (mean + z ** 2 / (2 * all)) / scale
  const reach = (z / scale) * Math.sqrt((mean * (1 - mean)) / all + z ** 2 / (4 * all ** 2))
  return { mean, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) }
}

/** The wider of two intervals, around the mean of the first. */
export const widest = (one: Estimate, other: Estimate): Estimate => ({
  mean: one.mean,
  low: Math.min(one.low, other.low),
  high: Math.max(one.high, other.high)
})

/** An interval within the range of what is estimated. */
export const between = ({ high, low, mean }: Estimate, least: number, most: number): Estimate => ({
  mean,
  low: Math.max(least, low),
  high: Math.min(most, high)
})

export const sum = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)
