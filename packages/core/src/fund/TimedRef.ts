/**
 * A `Ref` with the time: the state of every bucket, and how it changes.
 */
import { Clock, Context, Effect, Ref } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"

/**
 * @category models
 */
export interface TimedRef<S> {
  /** Answers and changes the state in one step. */
  readonly modify: <A>(f: (state: S, nowMillis: number) => readonly [A, S]) => Effect.Effect<A>
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
  nowMillis: MonotonicTime.Reader,
  initial: (nowMillis: number) => S
): Effect.Effect<TimedRef<S>> =>
  Effect.clockWith((clock) =>
    Effect.sync((): TimedRef<S> => {
      const ref = Ref.unsafeMake(initial(nowMillis(clock)))
      return {
        modify: <A>(f: (state: S, nowMillis: number) => readonly [A, S]) =>
          Effect.withFiberRuntime<A>((fiber) => {
            const now = nowMillis(Context.get(fiber.currentDefaultServices, Clock.Clock))
            return Ref.modify(ref, (state) => f(state, now))
          })
      }
    })
  )

/**
 * For a state that time does not move: the clock is not read, and the time is always zero.
 *
 * @category constructors
 */
export const makeTimeless = <S>(initial: S): Effect.Effect<TimedRef<S>> =>
  Effect.sync(() => {
    const ref = Ref.unsafeMake(initial)
    return { modify: (f) => Ref.modify(ref, (state) => f(state, 0)) }
  })
