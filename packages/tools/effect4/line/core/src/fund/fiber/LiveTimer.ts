/**
 * The timer of the live clock, without a fiber. The clock of Effect 4 hands none out, but sleeps with one of the platform.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"

/** The clock of a program that provides none. */
const live: Clock.Clock = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Clock.Clock)

/**
 * Calls `onEnd` once `millis` have passed, and returns what cancels it; `undefined` if the clock has no such timer. Without
 * a time to wait the live clock only lets other fibers go first.
 */
export const schedule = (clock: Clock.Clock, millis: number, onEnd: () => void): (() => void) | undefined => {
  if (clock !== live || millis <= 0) return undefined
  const timer = setTimeout(onEnd, millis)
  return () => clearTimeout(timer)
}
