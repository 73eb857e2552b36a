/**
 * A `Random` of which every draw comes from one effect.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Computes every kind of draw from draws in `[0, 1)`. */
export const fromNext = (next: Effect.Effect<number>): Random.Random => {
  const nextRange = (min: number, max: number) => Effect.map(next, (u) => min + u * (max - min))
  const nextIntBetween = (min: number, max: number) => Effect.map(next, (u) => min + Math.floor(u * (max - min)))
  return {
    [Random.RandomTypeId]: Random.RandomTypeId,
    next,
    nextBoolean: Effect.map(next, (u) => u > 0.5),
    nextInt: nextIntBetween(0, Number.MAX_SAFE_INTEGER),
    nextRange,
    nextIntBetween,
    shuffle: (elements) =>
      Effect.gen(function* () {
        const shuffled = Array.from(elements)
        for (let last = shuffled.length - 1; last > 0; last--) {
          const chosen = yield* nextIntBetween(0, last + 1)
          const moved = shuffled[last]!
          shuffled[last] = shuffled[chosen]!
          shuffled[chosen] = moved
        }
        return Chunk.unsafeFromArray(shuffled)
      })
  }
}
