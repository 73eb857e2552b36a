/**
 * A state and its time: what every bucket keeps, and how it changes.
 *
 * The state is a variable that only synchronous steps read and write. No other fiber runs within a step, so each is as
 * atomic as that of a `Ref`, and costs less.
 */
import * as Effect from "effect/Effect"
import * as MonotonicTime from "./MonotonicTime.ts"

/**
 * @category models
 */
export interface TimedRef<S> {
  /** Answers and changes the state in one step. */
  readonly modify: <A>(f: (state: S, nowMillis: number) => readonly [A, S]) => Effect.Effect<A>
  /** The same in the step of the caller. To be called while an effect runs. */
  readonly unsafeModify: <A>(f: (state: S, nowMillis: number) => readonly [A, S]) => A
  /** Changes the state in the step of the caller. To be called while an effect runs. */
  readonly unsafeUpdate: (f: (state: S, nowMillis: number) => S) => void
  /** The state as the latest change has left it. */
  readonly unsafeGet: () => S
}

/**
 * @category constructors
 */
export const make = <S>(initial: (nowMillis: number) => S): Effect.Effect<TimedRef<S>> =>
  Effect.suspend(() => makeWith(MonotonicTime.makeReader(), initial))

/**
 * The same with a reader that others use too.
 *
 * @category constructors
 */
export const makeWith = <S>(
  read: MonotonicTime.Reader,
  initial: (nowMillis: number) => S
): Effect.Effect<TimedRef<S>> =>
  Effect.sync(() => {
    const nowMillis = () => read(MonotonicTime.currentClock())
    return ofState(initial(nowMillis()), nowMillis)
  })

/**
 * For a state that time does not move: the clock is not read, and the time is always zero.
 *
 * @category constructors
 */
export const makeTimeless = <S>(initial: S): Effect.Effect<TimedRef<S>> => Effect.sync(() => ofState(initial, always))

const always = () => 0

const ofState = <S>(initial: S, nowMillis: () => number): TimedRef<S> => {
  let state = initial
  const unsafeModify: TimedRef<S>["unsafeModify"] = (f) => {
    const [answer, after] = f(state, nowMillis())
    state = after
    return answer
  }
  return {
    modify: (f) => Effect.sync(() => unsafeModify(f)),
    unsafeModify,
    unsafeUpdate: (f) => {
      state = f(state, nowMillis())
    },
    unsafeGet: () => state
  }
}
