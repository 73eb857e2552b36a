/**
 * The time of buckets and rate limiters: it never goes back, and setting the wall clock does not change it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"

/** The time at the last reading, in fractional milliseconds, and how far the clock had stepped back by then. */
export interface Time {
  readonly nowMillis: number
  readonly aheadMillis: number
}

/** The value before the first reading. */
export const start: Time = { nowMillis: -Infinity, aheadMillis: 0 }

/**
 * The time at the next reading of a clock's nanoseconds, which do not follow the wall clock. It is the reading plus the
 * sum of all steps back: time stands still when the clock steps back, and goes on from there.
 */
export const next = ({ aheadMillis, nowMillis }: Time, clock: Clock.Clock): Time => {
  const readingMillis = read(clock)
  const ahead = Math.max(aheadMillis, nowMillis - readingMillis)
  return { nowMillis: readingMillis + ahead, aheadMillis: ahead }
}

/** Reads a clock in fractional milliseconds, which setting the wall clock does not change. */
export const read = (clock: Clock.Clock): number => Number(Line.nanos(clock)) / 1e6

/** Makes a function that returns the time since this call in fractional milliseconds; zero if the clock has stepped back. */
export const since = (clock: Clock.Clock): (() => number) => {
  const beganNanos = Line.nanos(clock)
  return () => Math.max(0, Number(Line.nanos(clock) - beganNanos) / 1e6)
}

/** Reads a clock in fractional milliseconds. */
export type Reader = (clock: Clock.Clock) => number

/** Makes a reader that remembers the last time, for use outside a bucket's state. */
export const makeReader = (): Reader => {
  let time = start
  return (clock) => {
    time = next(time, clock)
    return time.nowMillis
  }
}

/** The clock of the running fiber. Call it only while an effect runs. */
export const currentClock = (): Clock.Clock => Context.get(Line.services(AtOnce.currentFiber()), Clock.Clock)
