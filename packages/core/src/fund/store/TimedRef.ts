/**
 * A state and its time in a `Ref`: what every bucket keeps.
 *
 * A bucket is data with pure steps; a step takes a state and a time, and gives an answer and the next state. Each step
 * is one `Ref.modify`: no other fiber, and no interruption, comes between reading the clock and changing the state.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as MonotonicTime from "../port/MonotonicTime.ts"

export interface TimedRef<S> {
  /**
   * Runs a step. If `ignoresTime` holds for the state, the clock is not read, and `nowMillis` is zero.
   */
  readonly modify: <A>(step: Step<S, A>, ignoresTime?: (state: S) => boolean) => Effect.Effect<A>
  /** The state after the latest change. */
  readonly get: Effect.Effect<S>
}

/** A pure step of a bucket. */
export interface Step<S, A> {
  (state: S, nowMillis: number): readonly [answer: A, after: S]
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
  return {
    modify: (step, ignoresTime) =>
      Ref.modify(ref, (timed) => {
        const { state } = timed
        if (ignoresTime?.(state) === true) {
          const { aheadMillis, nowMillis } = timed
          const [answer, after] = step(state, 0)
          return [answer, after === state ? timed : { state: after, nowMillis, aheadMillis }]
        }
        const { aheadMillis, nowMillis } = next(timed)
        const [answer, after] = step(state, nowMillis)
        return [answer, { state: after, nowMillis, aheadMillis }]
      }),
    get: Effect.map(Ref.get(ref), ({ state }) => state)
  }
}

interface Timed<S> extends MonotonicTime.Time {
  readonly state: S
}

const next = (time: MonotonicTime.Time) => MonotonicTime.next(time, MonotonicTime.currentClock())

/** For a state that does not depend on time: the clock is never read, and the time is always zero. */
export const makeTimeless = <S>(initial: S): Effect.Effect<TimedRef<S>> =>
  Effect.sync(() => {
    const ref = Ref.unsafeMake(initial)
    return { modify: (step) => Ref.modify(ref, (state) => step(state, 0)), get: Ref.get(ref) }
  })
