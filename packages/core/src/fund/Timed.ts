/**
 * State that is moved by a time which never goes back: what lines and send rates keep.
 */
import { type Clock, Effect, Ref } from "effect"

/**
 * Reads a clock in milliseconds, with fractions.
 *
 * The nanoseconds of a `Clock` are not those of the wall clock: setting the time neither stops a rate nor makes tokens.
 * Should they step back all the same, time stands still for the step and goes on from there.
 *
 * @category constructors
 */
export const makeReader = (): ((clock: Clock.Clock) => number) => {
  let latest = -Infinity
  let ahead = 0
  return (clock) => {
    const reading = Number(clock.unsafeCurrentTimeNanos()) / 1e6
    ahead = Math.max(ahead, latest - reading)
    latest = reading + ahead
    return latest
  }
}

/**
 * @category models
 */
export interface Timed<S> {
  /** Changes the state, knowing the time, in one step. */
  readonly modify: <A>(f: (state: S, nowMillis: number) => readonly [A, S]) => Effect.Effect<A>
}

/**
 * @category constructors
 */
export const make = <S>(initial: (nowMillis: number) => S): Effect.Effect<Timed<S>> =>
  Effect.clockWith((clock) =>
    Effect.sync(() => {
      const nowMillis = makeReader()
      const ref = Ref.unsafeMake(initial(nowMillis(clock)))
      return {
        modify: (f) => Effect.clockWith((clock) => Ref.modify(ref, (state) => f(state, nowMillis(clock))))
      }
    })
  )
