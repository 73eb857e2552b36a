/**
 * Effect's `Random`, which Effect 3 and Effect 4 have in another shape. This is the file of Effect 4.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"

/** Draws of numbers in [0, 1). What it throws is a defect of the program that draws. */
export type Draw = () => number

/** Runs an effect whose random numbers are computed from these draws. */
export const withDraws = <A, E, R>(self: Effect.Effect<A, E, R>, draw: Draw): Effect.Effect<A, E, R> =>
  Effect.provideService(self, Random.Random, randomOf(draw))

/** Replaces `Random`. Each build of the layer makes its own draws. */
export const layer = (make: () => Draw): Layer.Layer<never> => Layer.sync(Random.Random, () => randomOf(make()))

const randomOf = (draw: Draw): Random.Random => ({
  nextDoubleUnsafe: draw,
  nextIntUnsafe: () => Math.floor(draw() * Number.MAX_SAFE_INTEGER)
})
