/**
 * Random numbers by place: the same place gives the same number, whichever numbers were drawn before.
 *
 * So two policies meet the same failures and latencies in the same calls (common random numbers), and differ only in
 * how they handle them.
 */
import * as Hash from "effect/Hash"

/** A number in `[0, 1)` for a place, given as a list of whole numbers. */
export type Draws = (...place: ReadonlyArray<number>) => number

export const make = (seed: number | string): Draws => {
  const start = Hash.string(String(seed)) | 0
  return (...place) => (place.reduce(mixed, start) >>> 0) / 2 ** 32
}

/**
 * The finalizer of MurmurHash3: every bit of the input changes half of the bits of the output.
 * Source: https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp, read 2026-11-27, `fmix32`.
 */
const mixed = (hash: number, part: number): number => {
  let h = Math.imul(hash ^ Math.imul(part + 1, 0x9e3779b1), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
