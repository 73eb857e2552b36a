/** The generator of random numbers of Effect 3: the same seed gives the same numbers on both lines. */

const mask = (1n << 64n) - 1n
const multiplier = 0x5851f42d4c957f2dn
const increment = 0x14057b7ef767814fn

export class PCGRandom {
  #state = 0n

  constructor(seed: number) {
    this.#next()
    this.#state = (this.#state + BigInt(seed >>> 0)) & mask
    this.#next()
  }

  /** From 0 to less than 1. */
  number(): number {
    const high = this.#next() & 0x03ffffff
    const low = this.#next() & 0x07ffffff
    return (high * 0x8000000 + low) / 0x20000000000000
  }

  integer(max: number): number {
    return Math.round(this.number() * Number.MAX_SAFE_INTEGER) % max
  }

  #next(): number {
    const old = this.#state
    this.#state = (old * multiplier + increment) & mask
    const shifted = Number((((old >> 18n) ^ old) >> 27n) & 0xffffffffn)
    const rotation = Number(old >> 59n)
    return ((shifted >>> rotation) | (shifted << (-rotation & 31))) >>> 0
  }
}

const optimized = (hash: number): number => (hash & 0xbfffffff) | ((hash >>> 1) & 0x40000000)

/** The hash of a seed in Effect 3. */
export const hash = (seed: number | string): number => {
  if (typeof seed === "string") {
    let hash = 5381
    for (let at = seed.length - 1; at >= 0; at--) hash = (hash * 33) ^ seed.charCodeAt(at)
    return optimized(hash)
  }
  let rest = seed
  let hash = seed | 0
  if (hash !== seed) hash ^= seed * 0xffffffff
  while (rest > 0xffffffff) hash ^= rest /= 0xffffffff
  return optimized(hash)
}
