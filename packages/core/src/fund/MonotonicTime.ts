/**
 * The time of buckets and rate limiters: it never goes back, and setting the wall clock does not change it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as AtOnce from "./AtOnce.ts"

/**
 * Reads a clock, in milliseconds with fractions.
 *
 * @category models
 */
export type Reader = (clock: Clock.Clock) => number

/**
 * A reader of the nanoseconds of a `Clock`, which do not follow the wall clock. Should they step back all the same, time
 * stands still for the step and goes on from there.
 *
 * @category constructors
 */
export const makeReader = (): Reader => {
  let latest = -Infinity
  let ahead = 0
  return (clock) => {
    const reading = Number(clock.unsafeCurrentTimeNanos()) / 1e6
    ahead = Math.max(ahead, latest - reading)
    latest = reading + ahead
    return latest
  }
}

/**
 * The clock of the fiber that runs. To be called while an effect runs.
 *
 * @category running
 */
export const currentClock = (): Clock.Clock => Context.get(AtOnce.currentFiber().currentDefaultServices, Clock.Clock)
