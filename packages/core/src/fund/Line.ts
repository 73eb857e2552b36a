/**
 * A line of waiters: first come, first served. What a bucket or a send rate that waits is made of.
 *
 * Nothing is locked while anybody waits. Only the first in line looks for tokens, when time should have brought them or
 * when it is poked. A waiter that is interrupted leaves the line and delays nobody; should it have been served in the
 * same moment, what it got goes back.
 */
import type { Clock } from "effect"
import { Deferred, Duration, Effect, Exit, Fiber, FiberId } from "effect"
import { longestTimerMillis } from "../decide/Millis.ts"
import type { Restore } from "./RetryBucket.ts"
import * as Timed from "./Timed.ts"

/**
 * Where the waited-for tokens come from; all times in milliseconds, all costs in tokens.
 *
 * @category models
 */
export interface Source {
  /** Takes `cost`, all or nothing. `demand` is what all want together that have been waiting; zero while nobody has. */
  readonly take: (cost: number, demand: number) => Effect.Effect<boolean>
  readonly giveBack: (cost: number) => Effect.Effect<void>
  /** Whole milliseconds until `cost` tokens are there; `Infinity` where time alone does not bring them. */
  readonly millisUntil: (cost: number) => Effect.Effect<number>
}

/**
 * @category models
 */
export interface Line {
  /** Takes `cost` if nobody waits and it is there; never waits. */
  readonly attempt: (cost: number) => Effect.Effect<boolean>
  /**
   * Takes `cost` in its turn; answers `false`, at once where that can be told, when the turn does not come within
   * `maxWaitMillis`. To be run uninterruptibly: only the wait is wrapped in `restore`.
   */
  readonly acquire: (cost: number, maxWaitMillis: number, restore: Restore) => Effect.Effect<boolean>
  /** Lets the first in line look again: tokens came, or their rate changed. */
  readonly poke: Effect.Effect<void>
  readonly length: Effect.Effect<number>
}

/** In a list of both directions, so that anybody leaves in constant time. */
interface Waiter {
  readonly cost: number
  readonly untilMillis: number
  ahead: Waiter | undefined
  behind: Waiter | undefined
  wake: Deferred.Deferred<void>
  served: boolean
}

/** Those ahead may be due in the same millisecond, and their timers ring later: nobody leaves before they were served. */
const graceMillis = 1

/**
 * @category constructors
 */
export const make = (source: Source): Line => {
  const nowMillis = Timed.makeReader()
  let first: Waiter | undefined
  let last: Waiter | undefined
  let length = 0
  let demand = 0

  const enter = (cost: number, untilMillis: number): Waiter => {
    const waiter: Waiter = { cost, untilMillis, ahead: last, behind: undefined, wake: newWake(), served: false }
    if (last === undefined) first = waiter
    else last.behind = waiter
    last = waiter
    length += 1
    demand += cost
    return waiter
  }

  const leave = (waiter: Waiter): void => {
    const wasFirst = first === waiter
    if (waiter.ahead === undefined) first = waiter.behind
    else waiter.ahead.behind = waiter.behind
    if (waiter.behind === undefined) last = waiter.ahead
    else waiter.behind.ahead = waiter.ahead
    length -= 1
    // What fractions leave behind in a sum goes with the last waiter.
    demand = length === 0 ? 0 : demand - waiter.cost
    if (wasFirst) wakeUp(first)
  }

  const take = (waiter: Waiter, demand: number): Effect.Effect<boolean> =>
    Effect.map(source.take(waiter.cost, demand), (ok) => {
      waiter.served = ok
      return ok
    })

  const turn = (waiter: Waiter, clock: Clock.Clock): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      while (true) {
        const leftMillis = left(waiter, clock)
        yield* first === waiter
          ? pause(waiter, clock, Math.min(leftMillis, yield* source.millisUntil(waiter.cost)))
          : pause(waiter, clock, leftMillis + graceMillis)
        if (first === waiter && (yield* Effect.uninterruptible(take(waiter, demand)))) return true
        if (left(waiter, clock) <= (first === waiter ? 0 : -graceMillis)) return false
      }
    })

  const left = ({ untilMillis }: Waiter, clock: Clock.Clock): number =>
    untilMillis === Infinity ? Infinity : untilMillis - nowMillis(clock)

  const attempt = (cost: number): Effect.Effect<boolean> =>
    Effect.suspend(() => (first === undefined ? source.take(cost, 0) : Effect.succeed(false)))

  const queue = (cost: number, maxWaitMillis: number, restore: Restore): Effect.Effect<boolean> =>
    Effect.clockWith((clock) => {
      const waiter = enter(cost, maxWaitMillis === Infinity ? Infinity : nowMillis(clock) + maxWaitMillis)
      return Effect.onExit(serve(waiter, maxWaitMillis, clock, restore), (exit) =>
        Exit.isFailure(exit) && waiter.served
          ? Effect.map(source.giveBack(cost), () => leave(waiter))
          : Effect.sync(() => leave(waiter))
      )
    })

  /** Looks again, now that words to the line reach it: tokens may have come before it had its place. */
  const serve = (waiter: Waiter, maxWaitMillis: number, clock: Clock.Clock, restore: Restore) =>
    Effect.flatMap(first === waiter ? take(waiter, 0) : Effect.succeed(false), (ok) => {
      if (ok) return Effect.succeed(true)
      return Effect.flatMap(source.millisUntil(demandUpTo(waiter)), (millis) =>
        millis > maxWaitMillis ? Effect.succeed(false) : restore(turn(waiter, clock))
      )
    })

  /** It counts whoever is ahead: those who came after it, in a line that has moved on meanwhile, do not matter. */
  const demandUpTo = (waiter: Waiter): number => {
    let sum = demand
    for (let later = waiter.behind; later !== undefined; later = later.behind) sum -= later.cost
    return sum
  }

  return {
    attempt,
    acquire: (cost, maxWaitMillis, restore) =>
      Effect.flatMap(attempt(cost), (ok) => (ok ? Effect.succeed(true) : queue(cost, maxWaitMillis, restore))),
    poke: Effect.sync(() => wakeUp(first)),
    length: Effect.sync(() => length)
  }
}

const newWake = () => Deferred.unsafeMake<void>(FiberId.none)

const wakeUp = (waiter: Waiter | undefined) => waiter && Deferred.unsafeDone(waiter.wake, Effect.void)

/**
 * Lasts until the waiter is woken or `millis` have passed, also where the waiter itself cannot be interrupted.
 *
 * Not a race: `Effect.raceFirst` hangs when it is interrupted between two of its own steps.
 */
const pause = (waiter: Waiter, clock: Clock.Clock, millis: number): Effect.Effect<void> => {
  const { wake } = waiter
  const renewed = Effect.map(Deferred.await(wake), () => {
    waiter.wake = newWake()
  })
  if (millis === Infinity) return renewed
  const timerMillis = Math.min(longestTimerMillis, Math.max(1, Math.ceil(millis)))
  const ring = Effect.map(clock.sleep(Duration.millis(timerMillis)), () => Deferred.unsafeDone(wake, Effect.void))
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.fork(Effect.interruptible(ring)), (timer) =>
      Effect.ensuring(restore(renewed), Fiber.interruptAsFork(timer, FiberId.none))
    )
  )
}
