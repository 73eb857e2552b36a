/**
 * Seeded random numbers that are the same under every line of Effect: PCG, which is small, fast and good enough for
 * statistics.
 *
 * The numbers are those that `Random` of Effect 3 draws from a seed.
 * Source: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms", PCG-XSH-RR 64/32,
 * https://www.pcg-random.org/paper.html, read 2026-11-27.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Makes a generator: each call returns a number in [0, 1) with 53 random bits. */
export const make = (seed: number | string): (() => number) => {
  const next = generator(hash(seed))
  return () => ((next() & 0x03ffffff) * 2 ** 27 + (next() & 0x07ffffff)) / 2 ** 53
}

/** Draws a whole number below `count` from `Random`. */
export const below = (count: number): Effect.Effect<number> =>
  Effect.map(Random.next, (u) => Math.round(u * Number.MAX_SAFE_INTEGER) % count)

/** 6364136223846793005 and 1442695040888963407, the factor and the increment of the paper, as two halves. */
const factor = { high: 0x5851f42d, low: 0x4c957f2d }
const increment = { high: 0x14057b7e, low: 0xf767814f }

/** Each call returns 32 random bits. */
const generator = (seed: number): (() => number) => {
  let high = 0
  let low = 0
  const add = (otherHigh: number, otherLow: number): void => {
    const sum = (low >>> 0) + (otherLow >>> 0)
    high = (high + otherHigh + (sum > 0xffffffff ? 1 : 0)) | 0
    low = sum | 0
  }
  const step = (): void => {
    const product = highOfProduct(low, factor.low) + Math.imul(high, factor.low) + Math.imul(low, factor.high)
    high = product | 0
    low = Math.imul(low, factor.low)
    add(increment.high, increment.low)
  }
  step()
  add(0, seed)
  step()
  return () => {
    const [oldHigh, oldLow] = [high, low]
    step()
    const mixedHigh = (oldHigh >>> 18) ^ oldHigh
    const mixedLow = ((oldLow >>> 18) | (oldHigh << 14)) ^ oldLow
    const shifted = (mixedLow >>> 27) | (mixedHigh << 5)
    const turns = oldHigh >>> 27
    return ((shifted >>> turns) | (shifted << (-turns & 31))) >>> 0
  }
}

/** The upper 32 of the 64 bits of a product. */
const highOfProduct = (a: number, b: number): number => {
  const [aHigh, aLow, bHigh, bLow] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff]
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16)
  const carried = aLow * bHigh + (middle & 0xffff)
  return aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carried / 0x10000)
}

/** A seed as 32 bits. */
const hash = (seed: number | string): number => {
  if (typeof seed === "number") return mixed(ofNumber(seed))
  let bits = 5381
  for (let i = seed.length - 1; i >= 0; i--) bits = (bits * 33) ^ seed.charCodeAt(i)
  return mixed(bits)
}

const ofNumber = (seed: number): number => {
  let bits = seed | 0
  if (bits !== seed) bits ^= seed * 0xffffffff
  for (let left = seed; left > 0xffffffff;) {
    left /= 0xffffffff
    bits ^= left
  }
  return bits
}

/** The hash of Effect keeps its second bit for itself. */
const mixed = (bits: number): number => (bits & 0xbfffffff) | ((bits >>> 1) & 0x40000000)
