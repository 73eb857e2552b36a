/**
 * Effect's `Random`, whose shape differs between Effect 3 and Effect 4. This is the file for Effect 3.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"

/** Draws numbers in [0, 1). If it throws, the program that draws dies. */
type Draw = () => number

/** Runs an effect whose random numbers are computed from these draws. */
export const withDraws = <A, E, R>(self: Effect.Effect<A, E, R>, draw: Draw): Effect.Effect<A, E, R> =>
  Effect.withRandom(self, randomOf(draw))

/** Replaces `Random`. Each build of the layer makes its own draws. */
export const layer = (make: () => Draw): Layer.Layer<never> =>
  Layer.scopedDiscard(Effect.suspend(() => Effect.withRandomScoped(randomOf(make()))))

/** Computes every kind of draw from draws in `[0, 1)`. */
const randomOf = (draw: Draw): Random.Random => {
  const next = Effect.sync(draw)
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
