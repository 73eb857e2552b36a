/**
 * Schedules by their steps, which Effect 3 and Effect 4 have in another shape. This is the file of Effect 4.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"

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
): Schedule.Schedule<Duration.Duration, In, never, R> =>
  Schedule.fromStep(
    Effect.sync(() => {
      let before = initial
      return (nowMillis: number, input: In) =>
        Effect.flatMap(
          step(nowMillis, input, before),
          ({ delayMillis, state }): Pull.Pull<[Duration.Duration, Duration.Duration], never, Duration.Duration> => {
            before = state
            if (delayMillis === undefined) return Cause.done(Duration.zero)
            const delay = Duration.millis(delayMillis)
            return Effect.succeed([delay, delay])
          }
        )
    })
  )

/** Where a schedule stands before its first step. */
export const start: unique symbol = Symbol("start")

type Step = (now: number, input: unknown) => Pull.Pull<[unknown, Duration.Duration], never, unknown>

/** One step of any schedule, from `start` or from where the last one has led. */
export const step = <In, R>(
  schedule: Schedule.Schedule<unknown, In, never, R>,
  nowMillis: number,
  input: In,
  state: unknown
): Effect.Effect<Stepped<unknown>, never, R> =>
  Effect.flatMap(
    state === start ? Schedule.toStep(schedule) : Effect.succeed(state),
    (state): Effect.Effect<Stepped<unknown>> =>
      Pull.matchEffect((state as Step)(nowMillis, input), {
        onSuccess: ([, delay]) => Effect.succeed({ delayMillis: Duration.toMillis(delay), state }),
        onFailure: Effect.failCause,
        onDone: () => Effect.succeed({ delayMillis: undefined, state })
      })
  )
