/**
 * Calls a function when a time is over, on whatever clock there is.
 *
 * All that a `Clock` has for it is an effect that sleeps, and an effect takes a fiber to run in. The live clock sleeps by a
 * timer of the platform, which its scheduler hands out without a fiber. `Clock` does not declare that scheduler: a clock
 * that sleeps in another way, or a version of Effect without it, has its sleep run in a fiber.
 */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import { longestTimerMillis } from "../../decide/Millis.ts"
import * as AtOnce from "./AtOnce.ts"
import * as Undeclared from "./Undeclared.ts"

/** Prevents a call. Does nothing once the call has been made. */
export type Cancel = () => void

/**
 * Calls `onEnd` once `millis` have passed, unless that is cancelled before; where the sleep of the clock fails, at once and
 * with its cause. A sleep in a fiber has the services of `runtime`.
 */
export const after = (
  clock: Clock.Clock,
  millis: number,
  runtime: Runtime.Runtime<never>,
  onEnd: (failed?: Cause.Cause<never>) => void
): Cancel => {
  const scheduler = millis <= longestTimerMillis ? schedulerOf(clock) : undefined
  return scheduler === undefined
    ? asleep(clock, millis, runtime, onEnd)
    : scheduler.unsafeSchedule(onEnd, Duration.millis(millis))
}

const asleep: typeof after = (clock, millis, runtime, onEnd) => {
  const sleeper = Runtime.runFork(runtime, Effect.interruptible(Effect.suspend(() => sleep(clock, millis))))
  let isCancelled = false
  sleeper.addObserver((exit) => {
    // A sleep that is over by now cannot be interrupted any more.
    if (!isCancelled) onEnd(Exit.isFailure(exit) ? exit.cause : undefined)
  })
  return () => {
    isCancelled = true
    sleeper.unsafeInterruptAsFork(FiberId.none)
  }
}

/** Longer than a timer of the platform holds in several sleeps. */
const sleep = (clock: Clock.Clock, millis: number): Effect.Effect<void> =>
  millis <= longestTimerMillis
    ? clock.sleep(Duration.millis(Math.max(0, millis)))
    : Effect.flatMap(clock.sleep(Duration.millis(longestTimerMillis)), () => sleep(clock, millis - longestTimerMillis))

const live = /*#__PURE__*/ Clock.make()

const madeOfLive = /*#__PURE__*/ Undeclared.scheduler(live)

/** What the live clock sleeps by. A scheduler of another shape counts as none. */
const liveScheduler = /*#__PURE__*/ (() => {
  if (!Predicate.isFunction(madeOfLive)) return undefined
  const made = AtOnce.run(AtOnce.suspend(madeOfLive.bind(live) as () => Effect.Effect<unknown>))
  return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")
    ? (made.value as Clock.ClockScheduler)
    : undefined
})()

const schedulerOf = (clock: Clock.Clock): Clock.ClockScheduler | undefined =>
  clock.sleep === live.sleep && Undeclared.scheduler(clock) === madeOfLive ? liveScheduler : undefined
