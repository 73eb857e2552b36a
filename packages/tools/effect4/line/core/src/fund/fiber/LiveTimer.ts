/**
 * The timer of the live clock, without a fiber. The clock of Effect 4 hands none out.
 */
import type * as Clock from "effect/Clock"

/** Calls `onEnd` once `millis` have passed, and answers what prevents it; `undefined` where the clock has no such timer. */
export const schedule = (_clock: Clock.Clock, _millis: number, _onEnd: () => void): (() => void) | undefined =>
  undefined
