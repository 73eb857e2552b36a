/** What tests use of Effect 3's `Clock` that Effect 4 has in another shape. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The live clock, as a plain object. */
export const make = (): Clock.Clock => {
  const live = Effect.runSync(Effect.clockWith(Effect.succeed))
  return {
    currentTimeMillis: live.currentTimeMillis,
    currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe(),
    currentTimeNanos: live.currentTimeNanos,
    currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    sleep: (duration) => live.sleep(duration)
  }
}

/** The nanoseconds of Effect 3 are not those of the wall clock. */
export const currentTimeNanos: Effect.Effect<bigint> = Effect.clockWith((clock) => clock.monotonicTimeNanos)
