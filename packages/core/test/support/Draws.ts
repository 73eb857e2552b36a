/**
 * Draws for distributions: by chance from a seed, or one from the middle of each of many equal cells.
 */
import { Effect, Random } from "effect"

const drawn = new Map<string, ReadonlyArray<number>>()

/** `count` draws of Effect's own generator, the same for the same seed; made once. */
export const seeded = (seed: string, count: number): ReadonlyArray<number> => {
  const key = `${count} of ${seed}`
  const draws = drawn.get(key) ?? Effect.runSync(Effect.replicateEffect(Random.make(seed).next, count))
  drawn.set(key, draws)
  return draws
}

/** One draw from the middle of each of `count` cells: means over them are exact for a straight line. */
export const middles = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, cell) => (cell + 0.5) / count)
