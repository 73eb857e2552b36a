/**
 * The arithmetic of waits that headers ask for.
 *
 * Every wait is from 0 to `Infinity` milliseconds, never `NaN`, never negative.
 */

/** The largest distance of a JavaScript date from 1970, in milliseconds. */
const furthestMillis = 8.64e15

/** The wait until an instant: 0 if it is past, `undefined` if `nowMillis` is not a valid time. */
export const until = (atMillis: number, nowMillis: number): number | undefined =>
  Math.abs(nowMillis) <= furthestMillis ? Math.max(0, atMillis - nowMillis) : undefined

/** The longest of the known waits. */
export const longest = (waits: ReadonlyArray<number | undefined>): number | undefined =>
  waits.reduce((one, other) => (one === undefined ? other : Math.max(one, other ?? 0)), undefined)
