/**
 * The time of buckets and rate limiters: it never goes back, and setting the wall clock does not change it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as AtOnce from "./fiber/AtOnce.ts"

/**
 * The time of the last reading, in milliseconds with fractions, and how far the clock had stepped back by then.
 *
 * @category models
 */
export interface Time {
  readonly nowMillis: number
  readonly aheadMillis: number
}

/**
 * Before the first reading.
 *
 * @category constructors
 */
export const start: Time = { nowMillis: -Infinity, aheadMillis: 0 }

/**
 * How far the clock has stepped back at another reading. The time is the reading plus this value: it stands still during
 * the step, and continues from there.
 *
 * @category destructors
 */
export const ahead = ({ aheadMillis, nowMillis }: Time, readingMillis: number): number =>
  Math.max(aheadMillis, nowMillis - readingMillis)

/**
 * Reads the nanoseconds of a clock, which do not follow the wall clock, as milliseconds.
 *
 * @category running
 */
export const read = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/**
 * Reads a clock, in milliseconds with fractions.
 *
 * @category models
 */
export type Reader = (clock: Clock.Clock) => number

/**
 * A reader that remembers the time, for uses outside the state of a bucket.
 *
 * @category constructors
 */
export const makeReader = (): Reader => {
  let { aheadMillis, nowMillis } = start
  return (clock) => {
    const reading = read(clock)
    aheadMillis = ahead({ aheadMillis, nowMillis }, reading)
    nowMillis = reading + aheadMillis
    return nowMillis
  }
}

/**
 * The clock of the fiber that runs. To be called while an effect runs.
 *
 * @category running
 */
export const currentClock = (): Clock.Clock => Context.get(AtOnce.currentFiber().currentDefaultServices, Clock.Clock)
