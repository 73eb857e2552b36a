/**
 * What a process returns to the store: late, in batches, and at the end of its bucket.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Refusal from "../decide/Refusal.ts"
import * as Background from "./Background.ts"
import type { LeaseState } from "./LeaseState.ts"
import { isWorthReturning } from "./LeaseState.ts"

/**
 * Starts to look for what can be returned, where there may be something.
 *
 * @category running
 */
export const start = <E>(state: LeaseState<E>): Effect.Effect<void> =>
  isDue(state)
    ? Background.atomically(() => {
        if (!isDue(state)) return Effect.void
        state.isSweeping = true
        return Effect.map(Effect.forkDaemon(Effect.interruptible(sweep(state))), (fiber) => {
          state.sweep = fiber
        })
      })
    : Effect.void

const isDue = <E>(state: LeaseState<E>): boolean => !state.isSweeping && !state.isClosed && hasSomething(state)

const hasSomething = <E>({ held, surplus }: LeaseState<E>): boolean => isWorthReturning(held.leased() + surplus)

/** Returns all where no attempt came for a while, and else what is more than a lease. Ends when there is nothing left. */
const sweep = <E>(state: LeaseState<E>): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!hasSomething(state)) {
      state.isSweeping = false
      state.sweep = undefined
      return Effect.void
    }
    const { uses } = state
    const swept = Effect.suspend(() => {
      const isIdle = state.uses === uses && state.waiters.isEmpty() && !state.isAsking
      return returnAbove(state, isIdle ? 0 : state.most)
    })
    return Effect.zipRight(Effect.delay(swept, state.settings.idleMillis), sweep(state))
  })

/** Returns what is more than `kept` tokens. Where the store does not answer, they count as spent. */
const returnAbove = <E>(state: LeaseState<E>, kept: number): Effect.Effect<void> => {
  const { bucketKey, call, events, held, known, limits, nowMillis, store } = state
  const fromLease = Math.max(0, held.leased() - kept)
  const tokens = fromLease + state.surplus
  if (!isWorthReturning(tokens)) return Effect.void
  held.remove(fromLease)
  state.surplus = 0
  return Effect.flatMap(call(store.put(bucketKey, limits, tokens)), (exit) => {
    if (Exit.isFailure(exit)) return Effect.void
    known.add(tokens, nowMillis())
    const { refusal } = state
    if (refusal !== undefined) state.refusal = Refusal.withLevel(refusal, refusal.level + tokens, refusal.atMillis)
    return events.tell(() => ({ _tag: "Returned", tokens }))
  })
}

/**
 * Waits for the question under way and returns all: at most two calls of the store.
 *
 * @category running
 */
export const all = <E>(state: LeaseState<E>): Effect.Effect<void> => {
  const { question, sweep } = state
  return Effect.gen(function* () {
    if (sweep !== undefined) yield* Fiber.interrupt(sweep)
    if (question !== undefined) yield* Fiber.await(question)
    yield* Effect.suspend(() => returnAbove(state, 0))
  })
}
