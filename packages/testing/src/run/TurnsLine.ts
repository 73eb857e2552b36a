/**
 * How many steps a fiber takes in a turn, which Effect 3 and Effect 4 set differently. This is the file for Effect 3.
 */
import * as Effect from "effect/Effect"

/** Runs an effect in turns of this many steps. */
export const inTurnsOf = <A, E, R>(steps: number, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withMaxOpsBeforeYield(self, steps)
