/**
 * The time of buckets and rate limiters: it never goes back, and setting the wall clock does not change it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"

/** The time of the last reading, in milliseconds with fractions, and how far the clock had stepped back by then. */
export interface Time {
  readonly nowMillis: number
  readonly aheadMillis: number
}

/** Before the first reading. */
export const start: Time = { nowMillis: -Infinity, aheadMillis: 0 }

/**
 * The time at the next reading of a clock, of its nanoseconds: they do not follow the wall clock. The time is the reading plus
 * how far the clock has stepped back: it stands still during the step, and continues from there.
 */
export const next = ({ aheadMillis, nowMillis }: Time, clock: Clock.Clock): Time => {
  const readingMillis = read(clock)
  const ahead = Math.max(aheadMillis, nowMillis - readingMillis)
  return { nowMillis: readingMillis + ahead, aheadMillis: ahead }
}

/** What a clock shows, in milliseconds with fractions: setting the wall clock does not change it. */
export const read = (clock: Clock.Clock): number => Number(Line.nanos(clock)) / 1e6

/** Answers the time since this call, in milliseconds with fractions; zero where the clock has stepped back. */
export const since = (clock: Clock.Clock): (() => number) => {
  const beganNanos = Line.nanos(clock)
  return () => Math.max(0, Number(Line.nanos(clock) - beganNanos) / 1e6)
}

/** Reads a clock, in milliseconds with fractions. */
export type Reader = (clock: Clock.Clock) => number

/** A reader that remembers the time, for uses outside the state of a bucket. */
export const makeReader = (): Reader => {
  let time = start
  return (clock) => {
    time = next(time, clock)
    return time.nowMillis
  }
}

/** The clock of the fiber that runs. To be called while an effect runs. */
export const currentClock = (): Clock.Clock => Context.get(Line.services(AtOnce.currentFiber()), Clock.Clock)
