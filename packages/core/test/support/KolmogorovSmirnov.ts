/**
 * The Kolmogorov-Smirnov test for delays in whole milliseconds, rounded up.
 *
 * `ceil(X) <= k` exactly when `X <= k`, so at whole milliseconds the rounded delays have the distribution function of
 * the unrounded ones, and the test looks nowhere else. For distributions with atoms it is conservative.
 */

/** The probability of a delay of at most so many milliseconds. */
export type Cdf = (millis: number) => number

/** The greatest distance between the samples' distribution function and the declared one. */
export const statistic = (samples: ReadonlyArray<number>, cdf: Cdf): number => {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted.reduce((worst, sample, i) => {
    const below = sorted[i - 1] === sample ? 0 : Math.abs(i / sorted.length - cdf(sample - 1))
    const upTo = sorted[i + 1] === sample ? 0 : Math.abs((i + 1) / sorted.length - cdf(sample))
    return Math.max(worst, below, upTo)
  }, 0)
}

/** What the statistic of `n` samples exceeds with a probability of at most `alpha` (Dvoretzky, Kiefer, Wolfowitz, Massart). */
export const critical = (n: number, alpha = 1e-6): number => Math.sqrt(Math.log(2 / alpha) / (2 * n))

/** Evenly between two bounds. */
export const uniform =
  (low: number, high: number): Cdf =>
  (x) =>
    x < low ? 0 : x >= high ? 1 : (x - low) / (high - low)

/** Always the same. */
export const point =
  (at: number): Cdf =>
  (x) =>
    x < at ? 0 : 1

/** A distribution that depends on an earlier draw in [0, 1), averaged over that draw. */
export const averaged =
  (given: (u: number) => Cdf, cells = 400): Cdf =>
  (x) => {
    let sum = 0
    for (let i = 0; i < cells; i++) sum += given((i + 0.5) / cells)(x)
    return sum / cells
  }
