/**
 * What a process knows and holds of a bucket, and the synchronous steps that change it. To be called while an effect runs.
 */
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import type { Grant } from "@effect-retry/core/TokenBucket"
import type * as Waiting from "@effect-retry/core/unstable/Waiting"
import type * as Deferred from "effect/Deferred"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as BucketKey from "../../accept/BucketKey.ts"
import * as LeaseSize from "../../decide/LeaseSize.ts"
import * as Refusal from "../../decide/Refusal.ts"
import type { FleetStore, Settings } from "../fleet/FleetBucket.ts"
import * as FleetEvents from "../fleet/FleetEvents.ts"
import * as Held from "./Held.ts"
import * as KnownLevel from "./KnownLevel.ts"
import type { Limits, Store } from "../store/Store.ts"
import * as StoreCalls from "../fleet/StoreCalls.ts"
import * as Waiters from "./Waiters.ts"

/** Which bucket of which store it is, and how it waits. */
export interface Place<out E> {
  readonly fleet: FleetStore<E>
  readonly settings: Settings
  readonly key: string
  readonly limits: Limits
  readonly maxWait: Waiting.MaxWait
  /** The cost of the most expensive attempt. */
  readonly dearest: number
}

export interface LeaseState<in out E> {
  readonly store: Store<E>
  readonly bucketKey: string
  readonly settings: Settings
  readonly limits: Limits
  /** The longest wait for tokens; `None` for a bucket that refuses. */
  readonly maxWait: Waiting.MaxWait
  /** The number of tokens for which a waiting attempt pauses. */
  readonly pause: number
  /** Most tokens of a lease. */
  readonly most: number
  readonly nowMillis: () => number
  readonly events: FleetEvents.FleetEvents
  readonly call: StoreCalls.StoreCall<E>
  readonly timedOut: () => E
  readonly held: Held.Held
  readonly known: KnownLevel.KnownLevel
  readonly waiters: Waiters.Waiters<E>
  size: LeaseSize.LeaseSize
  /** Tokens spent since the latest question. */
  spent: number
  /** Attempts that were granted or came to wait. */
  uses: number
  refusal: Refusal.Refusal | undefined
  /** Refusals in a row; a grant makes it one less where attempts wait. */
  refusals: number
  /** Until when a refusal is one of the row: as long after the pause as the pause was. */
  inRowUntilMillis: number
  /** Tokens beyond a lease, which go to the store. */
  surplus: number
  /** Tokens on their way to the store. */
  returning: number
  /** Whether the surplus goes at once, and not with the next sweep. */
  isReturnDue: boolean
  /** Whether tokens were returned since the latest question. */
  hasReturned: boolean
  isClosed: boolean
  isSweeping: boolean
  /** The call of the store that is under way: there is at most one. */
  calling: Deferred.Deferred<void, E> | undefined
  sweep: Fiber.Fiber<void> | undefined
  alarm: { readonly atMillis: number; readonly fiber: Fiber.Fiber<void> } | undefined
}

export const make = <E>({ dearest, fleet, key, limits, maxWait, settings }: Place<E>): LeaseState<E> => {
  const read = MonotonicTime.makeReader()
  const nowMillis = () => read(MonotonicTime.currentClock())
  const held = Held.make()
  const known = KnownLevel.make(limits)
  const events = FleetEvents.make(settings, key, () => ({ level: known.at(nowMillis()), held: held.all() }))
  const most = LeaseSize.most(limits.burst, settings.leaseShare)
  return {
    store: fleet.store,
    bucketKey: BucketKey.make(settings.name, key === "" ? undefined : key),
    settings,
    limits,
    maxWait,
    pause: Refusal.pause(limits, dearest),
    most,
    nowMillis,
    events,
    call: StoreCalls.make(fleet, settings, events, nowMillis),
    timedOut: () => fleet.timedOut(settings.name),
    held,
    known,
    waiters: Waiters.make(),
    size: LeaseSize.first(most, nowMillis()),
    spent: 0,
    uses: 0,
    refusal: undefined,
    refusals: 0,
    inRowUntilMillis: 0,
    surplus: 0,
    returning: 0,
    isReturnDue: false,
    hasReturned: false,
    isClosed: false,
    isSweeping: false,
    calling: undefined,
    sweep: undefined,
    alarm: undefined
  }
}

/** An answer of a bucket that has ended. */
export type Answer = Exit.Exit<Option.Option<Grant>>

export const refused: Answer = /*#__PURE__*/ Exit.succeed(Option.none())

/** Takes what an attempt costs, or nothing. */
export const take = <E>(state: LeaseState<E>, cost: number): boolean => {
  if (!state.held.take(cost)) return false
  state.spent += cost
  state.uses += 1
  state.events.granted()
  return true
}

/**
 * Puts back what an attempt was granted, and did not use or does not need any more. The process keeps a lease of it, after
 * the attempts that wait; the rest goes to the store at once.
 */
export const putBack = <E>(state: LeaseState<E>, tokens: number): void => {
  if (state.isClosed) return
  state.held.add(tokens)
  spill(state)
}

/**
 * Puts in tokens that the fleet earned, as far as the store is known to have room for them. The process keeps a lease of
 * them, where no attempt waits; the rest goes to the store with the next sweep.
 */
export const credit = <E>(state: LeaseState<E>, tokens: number): void => {
  const { held, isClosed, known, limits, most, nowMillis, returning, surplus, waiters } = state
  if (isClosed || !known.isKnown()) return
  const room = limits.burst - known.at(nowMillis()) - held.leased() - surplus - returning
  const gained = Math.max(0, Math.min(tokens, room))
  const kept = waiters.isEmpty() ? Math.max(0, Math.min(gained, most - held.leased())) : 0
  held.add(kept)
  state.surplus += gained - kept
}

/** Moves tokens beyond a lease to those that the store gets at once, unless attempts wait: these gather their cost. */
export const spill = <E>(state: LeaseState<E>, kept = state.most): void => {
  const { held, waiters } = state
  if (!waiters.isEmpty()) return
  const spare = held.leased() - kept
  if (spare <= 0) return
  held.remove(spare)
  state.surplus += spare
  state.isReturnDue = true
}

/** Takes what an attempt that waits costs, out of what was to go to the store where the lease is short; or nothing. */
export const takeWaiting = <E>(state: LeaseState<E>, cost: number): boolean => {
  const { held, surplus } = state
  const missing = held.missing(cost)
  if (missing > 0 && missing <= surplus) {
    state.surplus -= missing
    held.add(missing)
  }
  return take(state, cost)
}

/**
 * When the store may be asked for `need` tokens, in milliseconds from now; zero or less where it may be asked at once.
 */
export const blockedMillis = <E>(state: LeaseState<E>, need: number, nowMillis = state.nowMillis()): number =>
  state.refusal === undefined ? 0 : Refusal.millisFor(state.refusal, state.limits, need, nowMillis)

/** Whether the tokens that an attempt waits for, with those of all attempts before it, come too late for it. */
export const isTooLate = <E>(
  state: LeaseState<E>,
  demand: number,
  leftMillis: number,
  nowMillis = state.nowMillis()
): boolean => {
  const mostMillis = Option.isNone(state.maxWait) ? 0 : Math.max(0, leftMillis)
  return mostMillis < Infinity && blockedMillis(state, state.held.missing(demand), nowMillis) > mostMillis
}

/** Whether tokens go to the store as soon as no other call is under way. */
export const isReturnDue = <E>({ isReturnDue, surplus }: LeaseState<E>): boolean =>
  isReturnDue && isWorthReturning(surplus)

/** Whether there is something that others may need: the error of a floating-point sum is nothing. */
export const isWorthReturning = (tokens: number): boolean => tokens > 1e-6
