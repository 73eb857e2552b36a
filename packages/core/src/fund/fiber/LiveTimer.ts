/**
 * The timer of the live clock without a fiber: its scheduler, which `Clock` does not declare. A clock that sleeps in another
 * way, or a version of Effect without the scheduler, has no such timer.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as AtOnce from "./AtOnce.ts"
import * as Undeclared from "./Undeclared.ts"

/** Calls `onEnd` once `millis` have passed, and returns what cancels it; `undefined` if the clock has no such timer. */
export const schedule = (clock: Clock.Clock, millis: number, onEnd: () => void): (() => void) | undefined =>
  schedulerOf(clock)?.unsafeSchedule(onEnd, Duration.millis(millis))

const live = /*#__PURE__*/ Clock.make()

const madeOfLive = /*#__PURE__*/ Undeclared.scheduler(live)

/** The scheduler that the live clock sleeps with. A scheduler of another shape counts as none. */
const liveScheduler = /*#__PURE__*/ (() => {
  if (!Predicate.isFunction(madeOfLive)) return undefined
  const made = AtOnce.run(AtOnce.suspend(madeOfLive.bind(live) as () => Effect.Effect<unknown>))
  return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")
    ? (made.value as Clock.ClockScheduler)
    : undefined
})()

const schedulerOf = (clock: Clock.Clock): Clock.ClockScheduler | undefined =>
  clock.sleep === live.sleep && Undeclared.scheduler(clock) === madeOfLive ? liveScheduler : undefined
