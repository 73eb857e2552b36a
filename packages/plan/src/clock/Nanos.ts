/**
 * Time in whole nanoseconds, which is never rounded and does not follow the wall clock.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Line from "@effect-retry/core/unstable/FiberLine"

/** Nanoseconds in a millisecond. */
export const perMilli = 1_000_000n

/** Reads a clock. `currentTimeNanos` dies under `TestClock` after a sleep with a fraction; this does not. */
export const read = (clock: Clock.Clock): bigint => Line.nanos(clock)

/**
 * Converts to a `Duration`. Whole milliseconds become milliseconds, so that a structural comparison with
 * `Duration.seconds(1)` holds.
 */
export const toDuration = (nanos: bigint): Duration.Duration =>
  nanos % perMilli === 0n ? Duration.millis(Number(nanos / perMilli)) : Duration.nanos(nanos)
