/**
 * Waits that last as long as they say.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { longestTimerMillis } from "../../decide/Millis.ts"

/** A timer of the platform fires at most this much early. */
const earlyMillis = 2

/**
 * Waits `millis` whole milliseconds, then goes on: longer than a timer holds in several sleeps, and never less than asked
 * for.
 */
export const wait = <A, E, R>(
  clock: Clock.Clock,
  millis: number,
  then: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (millis <= 0) return then()
  if (millis > longestTimerMillis) {
    return wait(clock, longestTimerMillis, () => wait(clock, millis - longestTimerMillis, then))
  }
  const startedAt = clock.unsafeCurrentTimeNanos()
  return Effect.flatMap(clock.sleep(Duration.millis(millis)), () => {
    const left = Math.ceil(millis - Number(clock.unsafeCurrentTimeNanos() - startedAt) / 1e6 - 1e-6)
    // More than a timer can be early is a clock that stepped back, which is no reason to wait.
    return left <= earlyMillis ? wait(clock, left, then) : then()
  })
}
