/**
 * Schedules by their steps, which Effect 3 and Effect 4 have in another shape. This is the file of Effect 3.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleInterval from "effect/ScheduleInterval"
import * as ScheduleIntervals from "effect/ScheduleIntervals"

export interface Stepped<S> {
  /** `undefined` where the schedule has ended. */
  readonly delayMillis: number | undefined
  /** Where the schedule goes on. */
  readonly state: S
}

/** A schedule of delays by its steps. */
export const make = <S, In, R>(
  initial: S,
  step: (nowMillis: number, input: In, state: S) => Effect.Effect<Stepped<S>, never, R>
): Schedule.Schedule<Duration.Duration, In, R> =>
  Schedule.makeWithState<S, In, Duration.Duration, R>(initial, (now, input, before) =>
    Effect.map(step(now, input, before), ({ delayMillis, state }) =>
      delayMillis === undefined
        ? [state, Duration.zero, ScheduleDecision.done]
        : [
            state,
            Duration.millis(delayMillis),
            ScheduleDecision.continueWith(ScheduleInterval.after(now + delayMillis))
          ]
    )
  )

/** Where a schedule stands before its first step. */
export const start: unique symbol = Symbol("start")

/** One step of any schedule, from `start` or from where the last one has led. */
export const step = <In, R>(
  schedule: Schedule.Schedule<unknown, In, R>,
  nowMillis: number,
  input: In,
  state: unknown
): Effect.Effect<Stepped<unknown>, never, R> =>
  Effect.map(schedule.step(nowMillis, input, state === start ? schedule.initial : state), ([next, , decision]) => ({
    delayMillis: ScheduleDecision.isDone(decision)
      ? undefined
      : ScheduleIntervals.start(decision.intervals) - nowMillis,
    state: next
  }))
