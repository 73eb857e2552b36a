/**
 * Attempts that wait for tokens: first come, first served.
 *
 * Nothing is locked while attempts wait. Only the first waiter looks for tokens: when time should have brought them, and
 * when it is woken. A waiter that is interrupted leaves the queue and delays no other; if it was served at the same
 * moment, its tokens are refunded.
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import { longestTimerMillis } from "../decide/Millis.ts"
import * as AtOnce from "./AtOnce.ts"
import * as MonotonicTime from "./MonotonicTime.ts"
import type { Grant, Request } from "./Port.ts"

/**
 * Where the tokens come from; all times in milliseconds, all costs in tokens. To be called while an effect runs.
 *
 * @category models
 */
export interface Source {
  /**
   * Takes `cost`, all or nothing. `demand` is what all waiters want together if they have been waiting; zero for one that
   * has just come.
   */
  readonly take: (cost: number, demand: number, request: Request) => Option.Option<Grant>
  /** Whole milliseconds until `cost` tokens are there; `Infinity` where time alone does not bring them. */
  readonly millisUntil: (cost: number) => number
}

/**
 * @category models
 */
export interface WaitQueue {
  /**
   * Takes `cost` in its turn, at once if no other waits and the tokens are there. Answers `None` when the turn does not
   * come within `maxWaitMillis`: at once where that can be told. Must run uninterruptibly: only the wait is wrapped in
   * `request.restore`.
   */
  readonly acquire: (cost: number, maxWaitMillis: number, request: Request) => Effect.Effect<Option.Option<Grant>>
  /** Lets the first waiter look again, because tokens came or their rate changed. To be called while an effect runs. */
  readonly unsafeWakeFirst: () => void
  readonly length: Effect.Effect<number>
}

/** Linked in both directions, so that any waiter leaves in constant time. */
interface Waiter {
  readonly cost: number
  readonly request: Request
  readonly untilMillis: number
  ahead: Waiter | undefined
  behind: Waiter | undefined
  wake: Deferred.Deferred<void>
  grant: Option.Option<Grant>
}

/** Waiters ahead may be due in the same millisecond and wake later, so a waiter stays until they were served. */
const graceMillis = 1

/**
 * @category constructors
 */
export const make = (source: Source, nowMillis: MonotonicTime.Reader = MonotonicTime.makeReader()): WaitQueue => {
  const waiters = makeWaiters()

  const take = (waiter: Waiter, demand: number): Option.Option<Grant> => {
    waiter.grant = source.take(waiter.cost, demand, waiter.request)
    return waiter.grant
  }

  const turn = (waiter: Waiter, clock: Clock.Clock): Effect.Effect<Option.Option<Grant>> =>
    Effect.gen(function* () {
      while (true) {
        const leftMillis = left(waiter, clock)
        yield* waiters.isFirst(waiter)
          ? pause(waiter, clock, Math.min(leftMillis, source.millisUntil(waiter.cost)))
          : pause(waiter, clock, leftMillis + graceMillis)
        if (waiters.isFirst(waiter)) {
          const grant = take(waiter, waiters.demand())
          if (Option.isSome(grant)) return grant
        }
        if (left(waiter, clock) <= (waiters.isFirst(waiter) ? 0 : -graceMillis)) return Option.none()
      }
    })

  const left = ({ untilMillis }: Waiter, clock: Clock.Clock): number => untilMillis - nowMillis(clock)

  const queue = (cost: number, maxWaitMillis: number, request: Request): Effect.Effect<Option.Option<Grant>> =>
    Effect.clockWith((clock) => {
      const waiter = waiters.enter(cost, request, nowMillis(clock) + maxWaitMillis)
      return Effect.onExit(serve(waiter, maxWaitMillis, clock), (exit) =>
        Exit.isFailure(exit) && Option.isSome(waiter.grant)
          ? Effect.map(waiter.grant.value.refund, () => waiters.leave(waiter))
          : Effect.sync(() => waiters.leave(waiter))
      )
    })

  /** Looks again after it has entered the queue, so that a wake-up cannot be missed. */
  const serve = (waiter: Waiter, maxWaitMillis: number, clock: Clock.Clock) =>
    Effect.suspend(() => {
      const grant = waiters.isFirst(waiter) ? take(waiter, 0) : Option.none()
      if (Option.isSome(grant)) return Effect.succeed(grant)
      return isTooLate(source.millisUntil(waiters.demandUpTo(waiter)), maxWaitMillis)
        ? Effect.succeedNone
        : waiter.request.restore(turn(waiter, clock))
    })

  return {
    acquire: (cost, maxWaitMillis, request) =>
      AtOnce.suspend(() => {
        const grant = waiters.length() === 0 ? source.take(cost, 0, request) : Option.none()
        return Option.isSome(grant) ? Effect.succeed(grant) : queue(cost, maxWaitMillis, request)
      }),
    unsafeWakeFirst: waiters.wakeFirst,
    length: Effect.sync(waiters.length)
  }
}

/** Tokens that time alone does not bring may still be returned by another attempt, within any wait. */
const isTooLate = (millis: number, maxWaitMillis: number): boolean =>
  millis > maxWaitMillis && (millis !== Infinity || maxWaitMillis <= 0)

const makeWaiters = () => {
  let first: Waiter | undefined
  let last: Waiter | undefined
  let length = 0
  let demand = 0

  const wakeFirst = (): void => {
    if (first !== undefined) Deferred.unsafeDone(first.wake, Effect.void)
  }

  return {
    isFirst: (waiter: Waiter): boolean => first === waiter,
    length: (): number => length,
    demand: (): number => demand,
    /** What a waiter and those ahead of it want; waiters behind it do not count. */
    demandUpTo: (waiter: Waiter): number => {
      let sum = demand
      for (let later = waiter.behind; later !== undefined; later = later.behind) sum -= later.cost
      return sum
    },
    wakeFirst,
    enter: (cost: number, request: Request, untilMillis: number): Waiter => {
      const waiter: Waiter = {
        cost,
        request,
        untilMillis,
        ahead: last,
        behind: undefined,
        wake: newWake(),
        grant: Option.none()
      }
      if (last === undefined) first = waiter
      else last.behind = waiter
      last = waiter
      length += 1
      demand += cost
      return waiter
    },
    leave: (waiter: Waiter): void => {
      const wasFirst = first === waiter
      if (waiter.ahead === undefined) first = waiter.behind
      else waiter.ahead.behind = waiter.behind
      if (waiter.behind === undefined) last = waiter.ahead
      else waiter.behind.ahead = waiter.ahead
      length -= 1
      // The floating-point error of the sum ends with the last waiter.
      demand = length === 0 ? 0 : demand - waiter.cost
      if (wasFirst) wakeFirst()
    }
  }
}

const newWake = () => Deferred.unsafeMake<void>(FiberId.none)

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
