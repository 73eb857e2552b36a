/**
 * A line of waiters: first come, first served. What a bucket or a send rate that waits is made of.
 *
 * Nothing is locked while anybody waits. A waiter that is interrupted leaves the line and delays nobody; should it have
 * been served in the same moment, what it got goes back.
 */
import type { Clock } from "effect"
import { Deferred, Duration, Effect, Exit, FiberId } from "effect"
import type { Restore } from "./RetryBucket.ts"

/**
 * Where the waited-for tokens come from; all times in milliseconds, all costs in tokens.
 *
 * @category models
 */
export interface Source {
  /** Takes `cost`, all or nothing. `demand` is what all that wait want together. */
  readonly take: (cost: number, demand: number) => Effect.Effect<boolean>
  readonly giveBack: (cost: number) => Effect.Effect<void>
  /** Whole milliseconds until `cost` tokens are there; `Infinity` where time alone does not bring them. */
  readonly millisUntil: (cost: number) => Effect.Effect<number>
}

/**
 * @category models
 */
export interface Line {
  /**
   * Takes `cost` in its turn; answers `false`, at once where that can be told, when the turn does not come within
   * `maxWaitMillis`. Runs uninterruptibly but for the wait.
   */
  readonly acquire: (cost: number, maxWaitMillis: number, restore: Restore) => Effect.Effect<boolean>
  /** Lets the first in line look again: tokens came, or their rate changed. */
  readonly poke: Effect.Effect<void>
  readonly length: Effect.Effect<number>
}

interface Waiter {
  readonly cost: number
  readonly untilMillis: number
  wake: Deferred.Deferred<void>
  served: boolean
}

/**
 * @category constructors
 */
export const make = (source: Source): Line => {
  const waiters: Array<Waiter> = []
  const demand = () => waiters.reduce((sum, waiter) => sum + waiter.cost, 0)
  const poke = Effect.sync(() => wakeUp(waiters[0]))

  const leave = (waiter: Waiter) =>
    Effect.suspend(() => {
      waiters.splice(waiters.indexOf(waiter), 1)
      return poke
    })

  const turn = (waiter: Waiter, clock: Clock.Clock): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      while (true) {
        const isFirst = waiters[0] === waiter
        if (isFirst && (yield* served(waiter))) return true
        const leftMillis = waiter.untilMillis - clock.unsafeCurrentTimeMillis()
        if (leftMillis <= 0) return false
        const millis = isFirst ? Math.min(leftMillis, yield* source.millisUntil(waiter.cost)) : leftMillis
        yield* wokenOrAfter(waiter, clock, Math.max(1, Math.ceil(millis)))
      }
    })

  const served = (waiter: Waiter) =>
    Effect.uninterruptible(
      Effect.map(source.take(waiter.cost, demand()), (ok) => {
        waiter.served = ok
        return ok
      })
    )

  const queue = (cost: number, maxWaitMillis: number, restore: Restore): Effect.Effect<boolean> =>
    Effect.clockWith((clock) => {
      const waiter: Waiter = {
        cost,
        untilMillis: clock.unsafeCurrentTimeMillis() + maxWaitMillis,
        wake: newWake(),
        served: false
      }
      waiters.push(waiter)
      return Effect.onExit(restore(turn(waiter, clock)), (exit) =>
        Exit.isFailure(exit) && waiter.served ? Effect.zipRight(source.giveBack(cost), leave(waiter)) : leave(waiter)
      )
    })

  return {
    acquire: (cost, maxWaitMillis, restore) =>
      Effect.suspend(() =>
        Effect.flatMap(waiters.length === 0 ? source.take(cost, cost) : Effect.succeed(false), (ok) => {
          if (ok) return Effect.succeed(true)
          return Effect.flatMap(source.millisUntil(demand() + cost), (millis) =>
            millis > maxWaitMillis ? Effect.succeed(false) : queue(cost, maxWaitMillis, restore)
          )
        })
      ),
    poke,
    length: Effect.sync(() => waiters.length)
  }
}

const newWake = () => Deferred.unsafeMake<void>(FiberId.none)

const wakeUp = (waiter: Waiter | undefined) => waiter && Deferred.unsafeDone(waiter.wake, Effect.void)

const wokenOrAfter = (waiter: Waiter, clock: Clock.Clock, millis: number): Effect.Effect<void> =>
  Effect.map(
    millis === Infinity
      ? Deferred.await(waiter.wake)
      : Effect.raceFirst(Deferred.await(waiter.wake), clock.sleep(Duration.millis(millis))),
    () => {
      waiter.wake = newWake()
    }
  )
