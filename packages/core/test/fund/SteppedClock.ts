/**
 * A clock that a test moves by hand, without leaving the current turn of the event loop: for many thousands of runs.
 */
import { Clock, Duration, Effect } from "effect"

export interface SteppedClock extends Clock.Clock {
  /** Lets time pass, and wakes the sleepers that are due, one after the other. */
  readonly advance: (millis: number) => Effect.Effect<void>
  /** Sets the wall clock forward, or back where negative; no time passes. */
  readonly step: (millis: number) => Effect.Effect<void>
  readonly passedMillis: () => number
}

interface Sleeper {
  readonly atMillis: number
  readonly wake: () => void
}

/** Lets all fibers run until they wait for something. */
export const settled = Effect.gen(function* () {
  for (let turn = 0; turn < 15; turn++) yield* Effect.yieldNow()
})

export const make = (): SteppedClock => {
  const sleepers = new Set<Sleeper>()
  let passed = 0
  let offset = 0
  const wall = () => passed + offset
  const nanos = () => BigInt(passed) * 1_000_000n
  const next = (untilMillis: number) =>
    [...sleepers].filter(({ atMillis }) => atMillis <= untilMillis).toSorted((a, b) => a.atMillis - b.atMillis)[0]
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: wall,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.async((resume) => {
        const sleeper = { atMillis: passed + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      }),
    advance: (millis) =>
      Effect.gen(function* () {
        const untilMillis = passed + millis
        for (let due = next(untilMillis); due !== undefined; due = next(untilMillis)) {
          passed = due.atMillis
          sleepers.delete(due)
          due.wake()
          yield* settled
        }
        passed = untilMillis
      }),
    step: (millis) =>
      Effect.sync(() => {
        offset += millis
      }),
    passedMillis: () => passed
  }
}
