/**
 * Milliseconds for delays and timers: bounded, without overflow, and whole for waits.
 */

/** The longest delay of any curve: 2^63 - 1 nanoseconds, 292 years. Growth saturates here instead of overflowing. */
export const longestMillis = 9_223_372_036_854

/** The longest time that a platform timer can hold, and so the longest timeout: 2^31 - 1 milliseconds, 24 days. */
export const longestTimerMillis = 2_147_483_647

/** `millis * multiplier` without overflow: `0 * Infinity` is 0, everything else stops at `longestMillis`. */
export const times = (millis: number, multiplier: number): number =>
  millis === 0 ? 0 : Math.min(millis * multiplier, longestMillis)

/**
 * Rounds a delay for waiting: up to whole milliseconds, never above the cap or `longestMillis`.
 *
 * An excess of a nanosecond is a floating-point error and does not round up. A fractional cap is rounded down, so a cap
 * below one millisecond would leave no delay; `Backoff.capped` refuses it.
 */
export const wholeMillis = (millis: number, capMillis: number): number =>
  Math.max(0, Math.min(Math.ceil(millis - 1e-6), Math.floor(capMillis), longestMillis))
