/**
 * Draws for distributions: by chance from a seed, or one from the middle of each of many equal cells.
 */
import { Effect, Random } from "effect"

/** `count` draws of Effect's own generator, the same for the same seed. */
export const seeded = (seed: string, count: number): ReadonlyArray<number> =>
  Effect.runSync(Effect.replicateEffect(Random.make(seed).next, count))

/** One draw from the middle of each of `count` cells: means over them are exact for a straight line. */
export const middles = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, cell) => (cell + 0.5) / count)
