/**
 * What a process returns to the store: what it is given beyond a lease at once and in one batch, what it does not need late,
 * and all at the end of its bucket. Where the store does not answer, it counts as spent.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Refusal from "../../decide/Refusal.ts"
import * as Background from "../store/Background.ts"
import * as Calls from "./Calls.ts"
import type { LeaseState } from "./LeaseState.ts"
import { isWorthReturning, spill } from "./LeaseState.ts"

/** Returns what is beyond a lease. To be run where no call is under way. */
export const begin = <E>(state: LeaseState<E>, settle: Effect.Effect<void>): Effect.Effect<void> => {
  const { bucketKey, events, limits, store, surplus } = state
  state.returning = surplus
  state.surplus = 0
  state.isReturnDue = false
  state.hasReturned = true
  return Calls.begin(state, {
    call: () => store.put(bucketKey, limits, surplus),
    learn: () => learn(state),
    settle,
    tell: () => events.tell(() => ({ _tag: "Returned", tokens: surplus }))
  })
}

const learn = <E>(state: LeaseState<E>): void => {
  const { known, nowMillis, refusal, returning } = state
  state.returning = 0
  known.add(returning, nowMillis())
  if (refusal === undefined) return
  state.refusal = Refusal.withLevel(refusal, refusal.level + returning, refusal.atMillis)
}

/** Starts to look for what can be returned, where there may be something. */
export const watch = <E>(state: LeaseState<E>, settle: Effect.Effect<void>): Effect.Effect<void> =>
  isToWatch(state)
    ? Background.atomically(() => {
        if (!isToWatch(state)) return Effect.void
        state.isSweeping = true
        return Effect.map(Effect.forkDaemon(Effect.interruptible(sweep(state, settle))), (fiber) => {
          state.sweep = fiber
        })
      })
    : Effect.void

const isToWatch = <E>(state: LeaseState<E>): boolean => !state.isSweeping && !state.isClosed && hasSomething(state)

const hasSomething = <E>({ held, surplus }: LeaseState<E>): boolean => isWorthReturning(held.leased() + surplus)

/** Returns all where no attempt came for a while, and else what is more than a lease. Ends when there is nothing left. */
const sweep = <E>(state: LeaseState<E>, settle: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!hasSomething(state)) {
      state.isSweeping = false
      state.sweep = undefined
      return Effect.void
    }
    const { uses } = state
    const swept = Effect.suspend(() => {
      if (state.uses === uses && state.waiters.isEmpty() && state.calling === undefined) spill(state, 0)
      state.isReturnDue = true
      return settle
    })
    return Effect.zipRight(Effect.delay(swept, state.settings.idleMillis), sweep(state, settle))
  })

/** Waits for the call under way and returns all: at most two calls of the store. */
export const all = <E>(state: LeaseState<E>): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (state.sweep !== undefined) yield* Fiber.interrupt(state.sweep)
    yield* ended(state)
    spill(state, 0)
    if (!isWorthReturning(state.surplus)) return
    yield* begin(state, Effect.void)
    yield* ended(state)
  })

const ended = <E>({ calling }: LeaseState<E>): Effect.Effect<void> =>
  calling === undefined ? Effect.void : Effect.ignore(Effect.exit(Deferred.await(calling)))
