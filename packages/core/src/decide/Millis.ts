/**
 * Milliseconds as delays and timers need them: bounded, without overflow, whole where something waits for them.
 */

/** The longest delay of any curve: 2^63 - 1 nanoseconds, 292 years. Growth saturates here instead of overflowing. */
export const longestMillis = 9_223_372_036_854

/** The longest time a timer of the platform holds, and so the longest timeout: 2^31 - 1 milliseconds, 24 days. */
export const longestTimerMillis = 2_147_483_647

/** `millis * multiplier` without overflow: `0 * Infinity` is 0, everything else stops at `longestMillis`. */
export const times = (millis: number, multiplier: number): number =>
  millis === 0 ? 0 : Math.min(millis * multiplier, longestMillis)

/**
 * A delay as it is waited: whole milliseconds, rounded up, never above the cap nor `longestMillis`.
 *
 * A nanosecond is a floating-point error and not the start of another millisecond. A cap with a fraction is rounded
 * down, so a cap below one millisecond would leave no delay; `Backoff.capped` refuses it.
 */
export const wholeMillis = (millis: number, capMillis: number): number =>
  Math.max(0, Math.min(Math.ceil(millis - 1e-6), Math.floor(capMillis), longestMillis))
