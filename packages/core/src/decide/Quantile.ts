/**
 * Estimates a quantile of recent values, as a pure state: a logarithmic histogram in which samples fade.
 *
 * Eight buckets for each doubling, from 1 ms to 2^20 ms (17 minutes): a bucket is 9 % wide, and values inside it are
 * taken as evenly spread. A sample weighs half as much as one that comes 1,000 samples later, so that about 2,900
 * samples count. Samples fade with later samples, not with time, so an estimate stays while there is no traffic.
 */

const perOctave = 8
const octaves = 20
const halfLife = 1000

/** 160 weights, and the weight of the next sample. */
export interface Histogram {
  readonly weights: ReadonlyArray<number>
  readonly total: number
  readonly nextWeight: number
  /** The number of samples so far. */
  readonly samples: number
}

export const empty: Histogram = {
  weights: /*#__PURE__*/ Array<number>(perOctave * octaves).fill(0),
  total: 0,
  nextWeight: 1,
  samples: 0
}

const growth = 2 ** (1 / halfLife)

/** Weights grow from sample to sample; all are divided before they overflow. */
const largest = 2 ** 500

/** Adds a sample, in milliseconds. */
export const add = (self: Histogram, millis: number): Histogram => {
  const { nextWeight, samples } = self
  const weights = self.weights.slice()
  const index = Math.floor(perOctave * Math.log2(Math.max(1, millis)))
  const bucket = Math.min(index, weights.length - 1)
  weights[bucket]! += nextWeight
  const added = { weights, total: self.total + nextWeight, nextWeight: nextWeight * growth, samples: samples + 1 }
  return added.nextWeight < largest ? added : scaled(added)
}

const scaled = ({ nextWeight, samples, total, weights }: Histogram): Histogram => ({
  weights: weights.map((weight) => weight / nextWeight),
  total: total / nextWeight,
  nextWeight: 1,
  samples
})

/**
 * The quantile `at`, below 1, in milliseconds: the value that this share of the samples does not exceed; at least 1. Needs a
 * sample.
 */
export const read = ({ total, weights }: Histogram, at: number): number => {
  let left = at * total
  let index = 0
  while (left > weights[index]!) left -= weights[index++]!
  const low = 2 ** (index / perOctave)
  const high = 2 ** ((index + 1) / perOctave)
  return weights[index] === 0 ? low : low + (high - low) * (left / weights[index]!)
}
