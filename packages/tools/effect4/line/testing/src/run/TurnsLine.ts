/**
 * How many steps a fiber takes in a turn, which Effect 3 and Effect 4 set in another way. This is the file of Effect 4.
 */
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** Runs an effect in turns of so many steps. */
export const inTurnsOf = <A, E, R>(steps: number, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, Scheduler.MaxOpsBeforeYield, steps)
