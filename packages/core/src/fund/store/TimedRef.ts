/**
 * A state and its time in a `Ref`: what every bucket keeps, and how it changes.
 *
 * A bucket is data and pure steps from a state, a time and a message to an answer and the next state. Each step is one
 * `Ref.modify`: no other fiber, and no interruption, comes between reading the clock, the answer and the change.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as MonotonicTime from "../port/MonotonicTime.ts"

export interface TimedRef<S> {
  /**
   * Answers a message and changes the state in one step. If `ignoresTime` holds for the state, the clock is not read, and
   * `nowMillis` is zero.
   */
  readonly send: <A, M>(
    step: Step<S, A, M>,
    message: M,
    ignoresTime?: ((state: S) => boolean) | undefined
  ) => Effect.Effect<A>
  /** The same without a message. */
  readonly modify: <A>(step: Step<S, A>, ignoresTime?: (state: S) => boolean) => Effect.Effect<A>
  /** The state after the latest change. */
  readonly get: Effect.Effect<S>
}

/** A pure step of a bucket. */
export interface Step<S, A, in M = undefined> {
  (state: S, nowMillis: number, message: M): readonly [answer: A, after: S]
}

export const make = <S>(initial: (nowMillis: number) => S): Effect.Effect<TimedRef<S>> =>
  Effect.sync(() => {
    const { aheadMillis, nowMillis } = next(MonotonicTime.start)
    return ofTimed({ state: initial(nowMillis), nowMillis, aheadMillis })
  })

/** For an initial state that does not depend on the time: the first step that needs the time reads the clock. */
export const makeUnread = <S>(initial: S): Effect.Effect<TimedRef<S>> =>
  Effect.sync(() => ofTimed({ state: initial, ...MonotonicTime.start }))

const ofTimed = <S>(timed: Timed<S>): TimedRef<S> => {
  const ref = Ref.unsafeMake(timed)
  const send: TimedRef<S>["send"] = (step, message, ignoresTime) =>
    Ref.modify(ref, (timed) => {
      const { state } = timed
      if (ignoresTime?.(state) === true) {
        const { aheadMillis, nowMillis } = timed
        const [answer, after] = step(state, 0, message)
        return [answer, after === state ? timed : { state: after, nowMillis, aheadMillis }]
      }
      const { aheadMillis, nowMillis } = next(timed)
      const [answer, after] = step(state, nowMillis, message)
      return [answer, { state: after, nowMillis, aheadMillis }]
    })
  return {
    send,
    modify: (step, ignoresTime) => send(step, undefined, ignoresTime),
    get: Effect.map(Ref.get(ref), ({ state }) => state)
  }
}

interface Timed<S> extends MonotonicTime.Time {
  readonly state: S
}

const next = (time: MonotonicTime.Time) => MonotonicTime.next(time, MonotonicTime.currentClock())
