/**
 * A clock that sleeps in short steps, for timeouts on a machine that stalls.
 *
 * After a stall all timers are due at once, and a timeout would come before an answer that has arrived. In steps, a stall
 * takes a small part of a timeout, and sockets have their turn between two steps.
 */
import { Clock, Duration, Effect } from "effect"

const stepMillis = 5

/** How much a step counts at most, however late it ends. A timer is always a bit late, which is not to add up. */
const mostMillis = 10

/**
 * Tells the time of another clock, and sleeps at least as long as that.
 *
 * @category constructors
 */
export const make = (clock: Clock.Clock): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanos: clock.currentTimeNanos,
  sleep: (duration) => sleep(clock, Duration.toMillis(duration))
})

const sleep = (clock: Clock.Clock, millis: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const started = clock.unsafeCurrentTimeNanos()
    return Effect.flatMap(clock.sleep(Duration.millis(Math.min(millis, stepMillis))), () => {
      const tookMillis = Number(clock.unsafeCurrentTimeNanos() - started) / 1e6
      const left = millis - Math.min(tookMillis, mostMillis)
      return left > 0 ? sleep(clock, left) : Effect.void
    })
  })

/**
 * The live clock, in steps.
 *
 * @category constructors
 */
export const live = make(Clock.make())

/**
 * Runs an effect in real time, on the live clock in steps.
 *
 * @category combinators
 */
export const inSteps: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.withClock(live)
