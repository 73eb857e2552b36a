/**
 * How often an effect looks at the clock.
 */
import { Clock, Effect } from "effect"

/** Runs an effect, and answers how often it reads the clock. */
export const clockReads = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    let reads = 0
    const counted = <T>(read: () => T) => {
      return () => {
        reads += 1
        return read()
      }
    }
    const clock = Clock.make()
    const counting: Clock.Clock = {
      ...clock,
      unsafeCurrentTimeMillis: counted(() => 0),
      unsafeCurrentTimeNanos: counted(() => 0n),
      currentTimeMillis: Effect.sync(counted(() => 0)),
      currentTimeNanos: Effect.sync(counted(() => 0n))
    }
    return Effect.map(Effect.withClock(self, counting), () => reads)
  })
