/**
 * Schedules that are no `Backoff`, stepped by hand: no driver, no `Ref`, no iteration metadata.
 */
import type { Schedule } from "effect"
import { Effect, ScheduleDecision, ScheduleIntervals } from "effect"
import { longestMillis, wholeMillis } from "../decide/Millis.ts"

/**
 * @category models
 */
export interface Step {
  /** Whole milliseconds; `undefined` where the schedule has ended. */
  readonly delayMillis: number | undefined
  readonly state: unknown
}

/**
 * One step of a schedule. Its delay is rounded up to whole milliseconds, and an infinite one is made finite.
 *
 * @category running
 */
export const step = <R>(
  schedule: Schedule.Schedule<unknown, unknown, R>,
  now: number,
  input: unknown,
  state: unknown
): Effect.Effect<Step, never, R> =>
  Effect.map(schedule.step(now, input, state), ([next, , decision]) => {
    if (ScheduleDecision.isDone(decision)) return { delayMillis: undefined, state: next }
    const delayMillis = ScheduleIntervals.start(decision.intervals) - now
    return { delayMillis: delayMillis > 0 ? wholeMillis(delayMillis, longestMillis) : 0, state: next }
  })
