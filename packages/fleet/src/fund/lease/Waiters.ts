/**
 * Attempts waiting for an answer of the store, or for tokens: first come, first served.
 */
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import type { Grant, Request } from "@effect-retry/core/TokenBucket"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Background from "../store/Background.ts"

export interface Waiter<in out E> {
  readonly cost: number
  readonly limitMillis: number
  readonly untilMillis: number
  readonly answer: Deferred.Deferred<Option.Option<Grant>, E>
  /** Whether the store has answered a request since the waiter came. */
  wasAnswered: boolean
  /** The tokens that the waiter was granted. */
  granted: number
}

export const waiter = <E>(cost: number, limitMillis: number, nowMillis: number): Waiter<E> => ({
  cost,
  limitMillis,
  untilMillis: nowMillis + Math.max(0, limitMillis),
  answer: FiberLine.deferred(),
  wasAnswered: false,
  granted: 0
})

export interface Waiters<in out E> {
  readonly isEmpty: () => boolean
  readonly first: () => Waiter<E> | undefined
  readonly all: () => Iterable<Waiter<E>>
  /** What all of them want together. */
  readonly demand: () => number
  readonly add: (waiter: Waiter<E>) => void
  /** Removes a waiter, and returns whether it was still there. */
  readonly remove: (waiter: Waiter<E>) => boolean
}

export const make = <E>(): Waiters<E> => {
  // A set keeps the order of insertion, and removes any item in constant time.
  const waiters = new Set<Waiter<E>>()
  let demand = 0
  return {
    isEmpty: () => waiters.size === 0,
    first: () => {
      for (const waiter of waiters) return waiter
      return undefined
    },
    all: () => waiters,
    demand: () => demand,
    add: (waiter) => {
      waiters.add(waiter)
      demand += waiter.cost
    },
    remove: (waiter) => {
      if (!waiters.delete(waiter)) return false
      // The last waiter to leave resets the floating-point error of the sum.
      demand = waiters.size === 0 ? 0 : demand - waiter.cost
      return true
    }
  }
}

/**
 * Waits for the answer, interruptibly if the operation is. Calls `late` if the limit passes without an answer, and
 * `left` if the operation is interrupted. Must be run uninterruptibly.
 */
export const wait = <E>(
  { answer, limitMillis }: Waiter<E>,
  { restore }: Request,
  late: Effect.Effect<void>,
  left: Effect.Effect<void>
): Effect.Effect<Option.Option<Grant>, E> => {
  const answered = Effect.onInterrupt(restore(Deferred.await(answer)), () => left)
  if (limitMillis <= 0 || limitMillis > longestTimerMillis) return answered
  return Effect.flatMap(Background.begin(Effect.delay(late, limitMillis)), (timer) =>
    Effect.ensuring(answered, FiberLine.interrupt(timer))
  )
}
