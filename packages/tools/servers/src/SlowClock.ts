/**
 * A clock that is slower than that of the machine, for programs that ask a real server within a bound: a machine that is busy with
 * other things stalls for longer than a bound of production.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** So many seconds of the machine are one of the clock. */
const times = 5

const make = (machine: Clock.Clock): Clock.Clock => {
  const startNanos = machine.unsafeCurrentTimeNanos()
  const nanos = () => startNanos + (machine.unsafeCurrentTimeNanos() - startNanos) / BigInt(times)
  const millis = () => Number(nanos() / 1_000_000n)
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => machine.sleep(Duration.times(duration, times))
  }
}

/**
 * Runs an effect on a clock of which a second takes five: a bound of a second passes after five of them.
 *
 * ```ts
 * const asked = Effect.timeoutOption(ask, "1 second").pipe(SlowClock.run)
 * ```
 */
export const run = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((machine) => Effect.withClock(self, make(machine)))
