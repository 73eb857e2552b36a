/**
 * A state and its time in a `Ref`: what every bucket keeps, and how it changes.
 *
 * A bucket is data and pure steps from a state, a time and a message to an answer and the next state. Each step is one
 * `Ref.modify`: no other fiber, and no interruption, comes between reading the clock, the answer and the change.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as MonotonicTime from "../port/MonotonicTime.ts"

export interface TimedRef<S> extends Ref.Ref<Timed<S>> {}

interface Timed<S> {
  readonly state: S
  readonly time: MonotonicTime.Time
}

/** A pure step of a bucket. It gets the ref only for effects in its answer. */
export interface Step<S, A, in M = undefined> {
  (state: S, nowMillis: number, message: M, self: TimedRef<S>): readonly [answer: A, after: S]
}

export const make = <S>(initial: (nowMillis: number) => S): Effect.Effect<TimedRef<S>> =>
  Effect.sync(() => {
    const time = next(MonotonicTime.start)
    return Ref.unsafeMake({ state: initial(time.nowMillis), time })
  })

/** For an initial state that does not depend on the time: the first step that needs the time reads the clock. */
export const makeUnread = <S>(initial: S): Effect.Effect<TimedRef<S>> =>
  Effect.sync(() => Ref.unsafeMake({ state: initial, time: MonotonicTime.start }))

/**
 * Answers a message and changes the state in one step. If `ignoresTime` holds for the state, the clock is not read, and
 * `nowMillis` is zero.
 */
export const send = <S, A, M>(
  self: TimedRef<S>,
  step: Step<S, A, M>,
  message: M,
  ignoresTime?: (state: S) => boolean
): Effect.Effect<A> =>
  Ref.modify(self, (timed) => {
    const { state } = timed
    if (ignoresTime?.(state) === true) {
      const [answer, after] = step(state, 0, message, self)
      return [answer, after === state ? timed : { state: after, time: timed.time }]
    }
    const time = next(timed.time)
    const [answer, after] = step(state, time.nowMillis, message, self)
    return [answer, { state: after, time }]
  })

/** Sends no message. */
export const modify = <S, A>(
  self: TimedRef<S>,
  step: Step<S, A>,
  ignoresTime?: (state: S) => boolean
): Effect.Effect<A> => send(self, step, undefined, ignoresTime)

const next = (time: MonotonicTime.Time) => MonotonicTime.next(time, MonotonicTime.currentClock())
