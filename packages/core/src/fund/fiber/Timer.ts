/**
 * Calls a function after a time, on any clock.
 *
 * All that `Clock` offers is an effect that sleeps, and running an effect takes a fiber. The live clock may offer its timer
 * without one.
 */
import type * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { longestTimerMillis } from "../../decide/Millis.ts"
import * as Interruption from "./Interruption.ts"
import * as Line from "./Line.ts"
import * as LiveTimer from "./LiveTimer.ts"

/** Cancels a call. Does nothing once the call has been made. */
export type Cancel = () => void

/**
 * Calls `onEnd` once `millis` have passed, unless cancelled before. If the clock's sleep fails, calls it at once with the
 * cause. A sleep in a fiber has the services of `runner`.
 */
export const after = (
  clock: Clock.Clock,
  millis: number,
  runner: Line.Runner,
  onEnd: (failed?: Cause.Cause<never>) => void
): Cancel =>
  (millis <= longestTimerMillis ? LiveTimer.schedule(clock, millis, onEnd) : undefined) ??
  asleep(clock, millis, runner, onEnd)

const asleep: typeof after = (clock, millis, runner, onEnd) => {
  const sleeper = Line.runFork(runner, Effect.interruptible(Effect.suspend(() => sleep(clock, millis))))
  let isCancelled = false
  sleeper.addObserver((exit) => {
    // The sleep may have ended before it was interrupted.
    if (!isCancelled) onEnd(Exit.isFailure(exit) ? exit.cause : undefined)
  })
  return () => {
    isCancelled = true
    Interruption.send(sleeper)
  }
}

/** Splits a sleep that is longer than the platform's timer can hold. */
const sleep = (clock: Clock.Clock, millis: number): Effect.Effect<void> =>
  millis <= longestTimerMillis
    ? clock.sleep(Duration.millis(Math.max(0, millis)))
    : Effect.flatMap(clock.sleep(Duration.millis(longestTimerMillis)), () => sleep(clock, millis - longestTimerMillis))
