/**
 * The store's tokens that a process holds: taken a few at a time before they are spent, and returned when they are not
 * needed.
 *
 * An attempt is paid from the lease in one step. If the lease is short, the process asks the store for more, one
 * request at a time, in a separate fiber: if the operation is interrupted or runs out of time, nothing is lost, and
 * arriving tokens are kept. After a refusal the store is not asked until it can have the tokens, times `U[1, 1.5)`, and
 * longer after refusals in a row, or after a partial grant: so all processes that keep asking for more than there is
 * get tokens, though not equally many. A waiting attempt gathers its cost in parts, which the process keeps while
 * attempts wait.
 *
 * Bound, for processes that hold leases: `grants <= burst + perSecond * (window + delay) + processes * lease` over any
 * window, where `delay` is the time from a decision of the store to the reading of its answer, which the store bounds.
 * If attempts wait, a lease counts as at least the cost of the most expensive one. Tokens lost with a process, a reply
 * or a return count as spent. Of returned tokens, the process keeps a lease, and the store gets the rest at once.
 */
import * as AtOnce from "@effect-retry/core/unstable/AtOnce"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import { type Grant, Key, type Request, type TokenBucket } from "@effect-retry/core/TokenBucket"
import * as Waiting from "@effect-retry/core/unstable/Waiting"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as BucketKey from "../../accept/BucketKey.ts"
import * as LeaseSize from "../../decide/LeaseSize.ts"
import * as Refusal from "../../decide/Refusal.ts"
import * as Closing from "../fleet/Closing.ts"
import type { FleetStore, Settings } from "../fleet/FleetBucket.ts"
import * as FleetEvents from "../fleet/FleetEvents.ts"
import * as StoreCalls from "../fleet/StoreCalls.ts"
import * as Background from "../store/Background.ts"
import type { Limits } from "../store/Store.ts"
import type { Running } from "./Commands.ts"
import * as Commands from "./Commands.ts"
import type { TokensIn } from "./LeaseState.ts"
import * as LeaseState from "./LeaseState.ts"
import * as Waiters from "./Waiters.ts"

/** The bucket and the store of a lease, and how it waits. */
interface Place<out E> {
  readonly fleet: FleetStore<E>
  readonly settings: Settings
  readonly limits: Limits
  readonly maxWait: Waiting.MaxWait
  /** The cost of the most expensive attempt. */
  readonly dearest: number
}

export interface Lease<out E> extends Pick<TokenBucket<E>, "level"> {
  /** Takes `cost` tokens, or takes nothing and returns `None`. */
  readonly acquire: (cost: number, request: Request) => Effect.Effect<Option.Option<Grant>, E>
  /** Puts back what an attempt was granted; anything beyond a lease goes to the store at once. */
  readonly put: (tokens: number) => Effect.Effect<void>
  /** Adds tokens earned for the fleet, as far as the store is known to have room for them. */
  readonly credit: (tokens: number) => Effect.Effect<void>
  /** Adds this process's own tokens, of which it keeps at most a lease. */
  readonly keep: (tokens: number) => Effect.Effect<void>
}

export const make = <E>(place: Place<E>): Effect.Effect<Lease<E>, never, Scope.Scope> =>
  Effect.flatMap(Key, (key) =>
    Background.inScope(
      Effect.sync(() => run(place, key)),
      close,
      leaseOf
    )
  )

const run = <E>({ dearest, fleet, limits, maxWait, settings }: Place<E>, key: string): Running<E> => {
  const read = MonotonicTime.makeReader()
  const nowMillis = () => read(MonotonicTime.currentClock())
  const most = LeaseSize.most(limits.burst, settings.leaseShare)
  const pause = Refusal.pause(limits, dearest)
  const state = LeaseState.make<E>({ limits, maxWait, pause, most, nowMillis })
  const { held, known } = state
  const events = FleetEvents.make(settings, key, () => ({ level: known.at(nowMillis()), held: held.all() }))
  return {
    state,
    store: fleet.store,
    bucketKey: BucketKey.make(settings.name, key === "" ? undefined : key),
    idleMillis: settings.idleMillis,
    events,
    call: StoreCalls.make(fleet, settings, events, nowMillis),
    timedOut: () => fleet.timedOut(settings.name),
    calling: undefined,
    alarm: undefined,
    sweep: undefined
  }
}

const leaseOf = <E>(running: Running<E>): Lease<E> => ({
  acquire: (cost, request) =>
    AtOnce.suspend(() => {
      const { state } = running
      if (LeaseState.take(state, cost)) return Commands.granted(running, cost)
      const limitMillis = Waiting.millisFor(
        Option.getOrElse(state.maxWait, () => Infinity),
        request
      )
      return LeaseState.isRefused(state, cost, limitMillis)
        ? Commands.refused
        : wait(running, cost, limitMillis, request)
    }),
  put: (tokens) => putIn(running, { _tag: "PutBack", tokens }),
  credit: (tokens) => putIn(running, { _tag: "Earned", tokens }),
  keep: (tokens) => putIn(running, { _tag: "Kept", tokens }),
  level: level(running)
})

const wait = <E>(
  running: Running<E>,
  cost: number,
  limitMillis: number,
  request: Request
): Effect.Effect<Option.Option<Grant>, E> =>
  Effect.suspend(() => {
    const waiter = Waiters.waiter<E>(cost, limitMillis, running.state.nowMillis())
    const late = Commands.tell(running, { _tag: "Late", waiter })
    const left = Commands.tell(running, { _tag: "Left", waiter })
    return Effect.zipRight(Commands.step(running, { _tag: "Came", waiter }), Waiters.wait(waiter, request, late, left))
  })

/** Adds tokens, within the caller's step if nothing must be started. */
const putIn = <E>(running: Running<E>, message: TokensIn): Effect.Effect<void> =>
  message.tokens > 0
    ? AtOnce.suspend(() => (LeaseState.absorb(running.state, message) ? Exit.void : Commands.tell(running, message)))
    : Effect.void

/**
 * What the store is known to have plus what the process holds. If the store's latest answer is older than the idle
 * time, waits for the call under way, or asks the store.
 */
const level = <E>(running: Running<E>): Effect.Effect<number, E> => {
  const { idleMillis, state } = running
  const now = () => LeaseState.level(state)
  const learned = Effect.suspend(() => learnLevel(running))
  return AtOnce.suspend(() =>
    state.nowMillis() - state.known.learnedMillis() < idleMillis ? Exit.succeed(now()) : Effect.map(learned, now)
  )
}

/** Waits for the call under way, which may report the level; otherwise reads the level. */
const learnLevel = <E>(running: Running<E>): Effect.Effect<void, E> => {
  const { calling, state } = running
  const again = Effect.suspend(() => learnLevel(running))
  return calling === undefined
    ? Effect.zipRight(Commands.tell(running, { _tag: "LevelWanted" }), again)
    : Effect.flatMap(Deferred.await(calling), () => (state.known.isKnown() ? Effect.void : again))
}

/** Refuses all waiters, waits for the call under way and returns all tokens: at most two calls of the store. */
const close = <E>(running: Running<E>): Effect.Effect<void> => {
  const ended = Effect.suspend(() => Commands.ended(running))
  const emptied = Effect.zipRight(ended, Commands.tell(running, { _tag: "Emptied" }))
  return Effect.zipRight(
    Commands.tell(running, { _tag: "Closed" }),
    Closing.inTime(running.store, Effect.zipRight(emptied, ended))
  )
}
