/**
 * The steps of schedules, whose shape differs between Effect 3 and Effect 4. This is the file for Effect 3.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleInterval from "effect/ScheduleInterval"
import * as ScheduleIntervals from "effect/ScheduleIntervals"

export interface Stepped<S> {
  /** `undefined` if the schedule has ended. */
  readonly delayMillis: number | undefined
  /** The state for the next step. */
  readonly state: S
}

/** Makes a schedule of delays from a step function. */
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

/** The state of a schedule before its first step. */
export const start: unique symbol = Symbol("start")

/** One step of any schedule, from `start` or from the state after the last step. */
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
