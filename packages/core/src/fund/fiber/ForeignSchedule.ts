/**
 * Schedules that are no `Backoff`, stepped by hand: no driver, no `Ref`, no iteration metadata.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"
import { longestMillis, wholeMillis } from "../../decide/Millis.ts"

export interface Step {
  /** Whole milliseconds; `None` where the schedule has ended. */
  readonly delayMillis: Option.Option<number>
  readonly state: unknown
}

/** One step of a schedule. Its delay is rounded up to whole milliseconds, and an infinite one is made finite. */
export const step = <R>(
  schedule: Schedule.Schedule<unknown, unknown, R>,
  nowMillis: number,
  input: unknown,
  state: unknown
): Effect.Effect<Step, never, R> =>
  Effect.map(schedule.step(nowMillis, input, state), ([next, , decision]) => {
    if (ScheduleDecision.isDone(decision)) return { delayMillis: Option.none(), state: next }
    const delayMillis = ScheduleIntervals.start(decision.intervals) - nowMillis
    return { delayMillis: Option.some(wholeMillis(delayMillis, longestMillis)), state: next }
  })
