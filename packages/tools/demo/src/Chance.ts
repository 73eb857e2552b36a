/**
 * Random numbers that only a seed decides, the same in Effect 3 and Effect 4.
 */
import { SeededRandom } from "@effect-retry/testing"
import { Effect, Random } from "effect"

/**
 * Gives an effect a generator of its own: what it draws does not depend on the others.
 *
 * @category combinators
 */
export const seeded =
  (seed: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provide(self, SeededRandom.layer(seed))

/**
 * Draws from a generator of its own, whatever is drawn around it.
 *
 * @category constructors
 */
export const drawing = (seed: string): Effect.Effect<Effect.Effect<number>> =>
  Effect.map(Effect.random, (random) => Effect.withRandom(Random.next, random)).pipe(seeded(seed))
