/**
 * Tokens of the store that a process holds: taken from the store before they are spent, a few at a time, and returned when
 * the process does not need them.
 *
 * An attempt is paid out of the lease in one step. Where the lease is short, one question at a time asks the store for
 * more, in a fiber of its own: an operation that is interrupted or out of time meanwhile loses nothing, and what comes is
 * kept. After a refusal the store is left alone until it can have the tokens, times `U[1, 1.5)`, and for longer after
 * refusals in a row, or after a grant of less than is wanted: so processes that always ask for more than there is all get
 * tokens, though not equally many. An attempt that waits gathers its cost in parts, which the process keeps while
 * attempts wait.
 *
 * Bound, for processes that hold leases: `grants <= burst + perSecond * (window + delay) + processes * lease` over any
 * window, where `delay` is the time from a decision of the store to the reading of its answer, which the store bounds.
 * Where attempts wait, a lease counts as at least the cost of the most expensive one. Tokens that are lost with a
 * process, a reply or a return count as spent. Of the tokens that attempts return, the process keeps a lease, and the
 * store gets the rest at once.
 */
import * as AtOnce from "@effect-retry/core/unstable/AtOnce"
import { type Grant, Key, type Request, type TokenBucket } from "@effect-retry/core/TokenBucket"
import * as Waiting from "@effect-retry/core/unstable/Waiting"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Closing from "../fleet/Closing.ts"
import * as Background from "../store/Background.ts"
import * as Calls from "./Calls.ts"
import type { LeaseState, Place } from "./LeaseState.ts"
import * as State from "./LeaseState.ts"
import * as Questions from "./Questions.ts"
import * as Returns from "./Returns.ts"
import * as Waiters from "./Waiters.ts"

export interface Lease<out E> extends Pick<TokenBucket<E>, "level"> {
  /** Takes `cost` tokens, or takes nothing and answers `None`. */
  readonly acquire: (cost: number, request: Request) => Effect.Effect<Option.Option<Grant>, E>
  /** Puts in what an attempt was granted: what is beyond a lease goes to the store at once. */
  readonly put: (tokens: number) => Effect.Effect<void>
  /** Puts in tokens of the fleet, as far as the store is known to have room for them. */
  readonly credit: (tokens: number) => Effect.Effect<void>
  /** Puts in tokens of this process alone, of which it keeps at most a lease. */
  readonly keep: (tokens: number) => Effect.Effect<void>
}

export const make = <E>(place: Omit<Place<E>, "key">): Effect.Effect<Lease<E>, never, Scope.Scope> =>
  Effect.flatMap(Key, (key) =>
    Background.inScope(
      Effect.sync(() => State.make({ ...place, key })),
      close,
      leaseOf
    )
  )

const leaseOf = <E>(state: LeaseState<E>): Lease<E> => ({
  acquire: (cost, request) =>
    AtOnce.suspend(() => {
      if (state.waiters.isEmpty() && State.take(state, cost)) return Questions.granted(state, cost)
      const limitMillis = Waiting.millisFor(
        Option.getOrElse(state.maxWait, () => Infinity),
        request
      )
      return isRefused(state, cost, limitMillis) ? State.refused : wait(state, cost, limitMillis, request)
    }),
  put: (tokens) =>
    changing(
      state,
      tokens,
      () => State.putBack(state, tokens),
      () => state.isSweeping && state.held.leased() + tokens <= state.most
    ),
  credit: (tokens) =>
    changing(
      state,
      tokens,
      () => State.credit(state, tokens),
      () => state.isSweeping
    ),
  keep: (tokens) =>
    changing(
      state,
      tokens,
      () => state.held.keep(tokens, Math.max(1, state.most)),
      () => true
    ),
  level: level(state)
})

const isRefused = <E>(state: LeaseState<E>, cost: number, limitMillis: number): boolean =>
  state.isClosed || (state.calling === undefined && State.isTooLate(state, state.waiters.demand() + cost, limitMillis))

const wait = <E>(
  state: LeaseState<E>,
  cost: number,
  limitMillis: number,
  request: Request
): Effect.Effect<Option.Option<Grant>, E> =>
  Effect.suspend(() => {
    state.uses += 1
    const { nowMillis, timedOut, waiters } = state
    const waiter = waiters.enter(cost, limitMillis, nowMillis())
    const late = Background.atomically(() => {
      // A store that has not answered at all has failed, and has not refused.
      waiters.end(waiter, waiter.wasAnswered ? State.refused : Exit.fail(timedOut()))
      return Questions.settle(state)
    })
    const left = Background.atomically(() => {
      waiters.end(waiter, State.refused)
      State.putBack(state, waiter.granted)
      return Questions.settle(state)
    })
    return Effect.zipRight(Questions.settle(state), Waiters.wait(waiter, request, late, left))
  })

/**
 * Puts tokens in, in the step of the caller where no attempt waits for them and nothing has to be started. The state is
 * changed only by what runs: an effect that this answers may never run.
 */
const changing = <E>(
  state: LeaseState<E>,
  tokens: number,
  change: () => void,
  startsNothing: () => boolean
): Effect.Effect<void> =>
  tokens > 0
    ? AtOnce.suspend(() => {
        const changed = Effect.suspend(() => {
          change()
          return Questions.settle(state)
        })
        if (!state.waiters.isEmpty() || !startsNothing()) return changed
        change()
        return Exit.void
      })
    : Effect.void

/**
 * What the store has, as far as it is known, and what the process holds. Where its latest answer is older than the time after
 * which the process counts as idle, that of the call under way is awaited, or the store is asked.
 */
const level = <E>(state: LeaseState<E>): Effect.Effect<number, E> => {
  const { held, known, limits, nowMillis, settings } = state
  const now = () => Math.min(limits.burst, known.at(nowMillis()) + state.surplus + state.returning) + held.all()
  const learned = Effect.suspend(() => learnLevel(state))
  return AtOnce.suspend(() =>
    nowMillis() - known.learnedMillis() < settings.idleMillis ? Exit.succeed(now()) : Effect.map(learned, now)
  )
}

/** Awaits the call under way, which tells the level or does not, or else reads the level. */
const learnLevel = <E>(state: LeaseState<E>): Effect.Effect<void, E> => {
  const { calling, known } = state
  const again = Effect.suspend(() => learnLevel(state))
  return calling === undefined
    ? Effect.zipRight(readLevel(state), again)
    : Effect.flatMap(Deferred.await(calling), () => (known.isKnown() ? Effect.void : again))
}

const readLevel = <E>(state: LeaseState<E>): Effect.Effect<void> =>
  Background.atomically(() => {
    const { bucketKey, calling, known, limits, nowMillis, store } = state
    if (calling !== undefined) return Effect.void
    return Calls.begin(state, {
      call: () => store.level(bucketKey, limits),
      learn: (level) => known.learn(level, nowMillis()),
      settle: Effect.suspend(() => Questions.settle(state)),
      tell: () => Effect.void
    })
  })

const close = <E>(state: LeaseState<E>): Effect.Effect<void> =>
  Effect.suspend(() => {
    state.isClosed = true
    for (const waiter of state.waiters.all()) state.waiters.end(waiter, State.refused)
    return Effect.zipRight(Questions.silence(state), Closing.inTime(state.store, Returns.all(state)))
  })
