/**
 * Waits that last at least as long as asked.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import { longestTimerMillis } from "../../decide/Millis.ts"
import * as Line from "./Line.ts"
import * as Timer from "./Timer.ts"

/** The most by which a timer of the platform fires early. */
const earlyMillis = 2

/**
 * Waits `millis` whole milliseconds, never less, then runs the effect. A wait that is longer than a timer can hold is split
 * into several sleeps.
 */
export const wait = <A, E, R>(
  clock: Clock.Clock,
  millis: number,
  then: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (millis <= 0) return then()
  const { leftMillis, sleepMillis } = begin(clock, millis)
  return Effect.flatMap(clock.sleep(Duration.millis(sleepMillis)), () => wait(clock, leftMillis(), then))
}

/** The same without a fiber, on a clock whose sleeps do not fail. Does nothing more once cancelled. */
export const call = (clock: Clock.Clock, millis: number, then: () => void): Timer.Cancel => {
  let cancel: Timer.Cancel = constVoid
  const sleep = (millis: number): void => {
    if (millis <= 0) return then()
    const { leftMillis, sleepMillis } = begin(clock, millis)
    cancel = Timer.after(clock, sleepMillis, Line.defaultRunner, () => sleep(leftMillis()))
  }
  sleep(millis)
  return () => cancel()
}

interface Sleep {
  readonly sleepMillis: number
  /** The remaining wait, read after the sleep. */
  readonly leftMillis: () => number
}

/** The first sleep of a wait. */
const begin = (clock: Clock.Clock, millis: number): Sleep => {
  const sleepMillis = Math.min(millis, longestTimerMillis)
  const startedAt = Line.nanos(clock)
  return {
    sleepMillis,
    leftMillis: () => {
      const early = Math.ceil(sleepMillis - Number(Line.nanos(clock) - startedAt) / 1e6 - 1e-6)
      // A sleep that seems to end even earlier than that means that the clock stepped back, which is no reason to wait.
      return millis - sleepMillis + (early <= earlyMillis ? Math.max(0, early) : 0)
    }
  }
}
