/**
 * Draws that depend only on a seed and on numbers, so their order does not matter.
 */
import * as Hash from "effect/Hash"

/** Source: MurmurHash3's `fmix32`, https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp, read 2026-11-27. */
const mixed = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

/** The hash of a seed, from which draws are made. */
export const seeded = (seed: number | string): number => mixed(Hash.hash(seed))

/** 32 bits of a seed and a number, as a seed for further ones. */
export const next = (seed: number, number: number): number => mixed(mixed(seed) + Math.imul(number, 0x9e3779b9))

/** A number in [0, 1). */
export const uniform = (seed: number): number => (mixed(seed) >>> 0) / 2 ** 32
