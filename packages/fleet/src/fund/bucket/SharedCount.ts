/**
 * A count that a fleet shares, as one process knows and changes it: failures are told at once, successes in batches.
 */
import * as AtOnce from "@effect-retry/core/unstable/AtOnce"
import * as GrpcCount from "@effect-retry/core/unstable/GrpcCount"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as BucketKey from "../../accept/BucketKey.ts"
import * as Closing from "../fleet/Closing.ts"
import * as Background from "../store/Background.ts"
import type { Store } from "../store/Store.ts"
import type { FleetStore, Settings } from "../fleet/FleetBucket.ts"
import * as FleetEvents from "../fleet/FleetEvents.ts"
import * as StoreCalls from "../fleet/StoreCalls.ts"

/** All in thousandths of a token. */
export interface SharedCount<out E> {
  /** The latest count of the store less what it was not told of yet; and how the latest call failed, if it did. */
  readonly known: () => { readonly level: number; readonly cause: Option.Option<Cause.Cause<E>> }
  /** Counts an attempt that was granted. */
  readonly granted: () => void
  /** Takes from the count at once, or adds to it late. */
  readonly change: (change: number) => Effect.Effect<void>
  /** In tokens. The store is asked where its latest answer is old. */
  readonly level: Effect.Effect<number, E>
}

interface Place<out E> {
  readonly fleet: FleetStore<E>
  readonly settings: Settings
  readonly key: string
  readonly capacity: number
}

interface State<in out E> {
  readonly store: Store<E>
  readonly settings: Settings
  readonly capacity: number
  readonly nowMillis: () => number
  readonly events: FleetEvents.FleetEvents
  /** Changes the count of the store, and learns it. */
  readonly add: (change: number) => Effect.Effect<Exit.Exit<number, E>>
  count: number
  learnedMillis: number
  cause: Option.Option<Cause.Cause<E>>
  /** What the store was not told of yet. */
  debits: number
  credits: number
  /** Whether it is time for the credits. */
  isDue: boolean
  isClosed: boolean
  isTelling: boolean
  /** The reading of the count that is under way, beside which no other call is made. */
  reading: Deferred.Deferred<void> | undefined
  isBatching: boolean
  /** The latest ones; they may have ended. */
  teller: Fiber.Fiber<void> | undefined
  batch: Fiber.Fiber<void> | undefined
}

export const make = <E>(place: Place<E>): Effect.Effect<SharedCount<E>, never, Scope.Scope> =>
  Background.inScope(
    Effect.sync(() => stateOf(place)),
    close,
    (state) => ({
      known: () => ({ level: levelOf(state), cause: state.cause }),
      granted: state.events.granted,
      change: (change) => (change < 0 ? debit(state, -change) : credit(state, change)),
      level: level(state)
    })
  )

const stateOf = <E>({ capacity, fleet, key, settings }: Place<E>): State<E> => {
  const read = MonotonicTime.makeReader()
  const nowMillis = () => read(MonotonicTime.currentClock())
  const events = FleetEvents.make(settings, key, () => ({ level: levelOf(state) / GrpcCount.token, held: 0 }))
  const call = StoreCalls.make(fleet, settings, events, nowMillis)
  const bucketKey = BucketKey.make(settings.name, key === "" ? undefined : key)
  const state: State<E> = {
    store: fleet.store,
    settings,
    capacity,
    nowMillis,
    events,
    add: (change) =>
      Effect.map(
        call(() => fleet.store.add(bucketKey, capacity / GrpcCount.token, change / GrpcCount.token)),
        (exit) => {
          if (Exit.isFailure(exit)) return exit
          state.count = Math.round(exit.value * GrpcCount.token)
          state.learnedMillis = nowMillis()
          state.cause = Option.none()
          return exit
        }
      ),
    count: capacity,
    learnedMillis: -Infinity,
    cause: Option.none(),
    debits: 0,
    credits: 0,
    isDue: false,
    isClosed: false,
    isTelling: false,
    reading: undefined,
    isBatching: false,
    teller: undefined,
    batch: undefined
  }
  return state
}

const levelOf = ({ count, debits }: Pick<State<never>, "count" | "debits">): number => Math.max(0, count - debits)

const debit = <E>(state: State<E>, change: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (state.isClosed) return Effect.void
    state.debits = Math.min(state.capacity, state.debits + change)
    return start(state)
  })

/** What the count has no room for is dropped: a full count is told of no success. */
const credit = <E>(state: State<E>, change: number): Effect.Effect<void> => {
  const later = Effect.suspend(() => {
    state.credits += Math.min(change, room(state))
    return state.isBatching || state.isClosed ? Effect.void : batch(state)
  })
  return AtOnce.suspend(() => (room(state) > 0 ? later : Exit.void))
}

const room = <E>(state: State<E>): number => Math.max(0, state.capacity - levelOf(state) - state.credits)

const batch = <E>(state: State<E>): Effect.Effect<void> =>
  Background.atomically(() => {
    if (state.isBatching) return Effect.void
    state.isBatching = true
    const due = Effect.suspend(() => {
      state.isBatching = false
      state.isDue = true
      return start(state)
    })
    const later = Effect.delay(due, state.settings.idleMillis)
    return Effect.map(Effect.forkDaemon(Effect.interruptible(later)), (fiber) => {
      state.batch = fiber
    })
  })

/** Tells the store, in a fiber of its own, unless that is under way. */
const start = <E>(state: State<E>): Effect.Effect<void> =>
  Background.atomically(() => {
    if (state.isTelling || state.reading !== undefined) return Effect.void
    state.isTelling = true
    return Effect.map(Effect.forkDaemon(Effect.uninterruptible(tell(state))), (fiber) => {
      state.teller = fiber
    })
  })

/** Failures first, so that the store never shows a success before a failure that preceded it. */
const tell = <E>(state: State<E>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { debits } = state
    const credits = debits === 0 && state.isDue ? state.credits : 0
    const change = credits - debits
    if (debits === 0) state.isDue = false
    if (change === 0) {
      state.isTelling = false
      return Effect.void
    }
    state.credits -= credits
    return Effect.flatMap(state.add(change), (exit) => {
      if (Exit.isFailure(exit)) {
        state.cause = Option.some(exit.cause)
        // Failures are told again with the next one, also where the store may have counted them: too few retries are safe.
        state.isTelling = false
        return Effect.void
      }
      state.debits -= debits
      const told = state.events.tell(() => ({ _tag: "Counted", change: change / GrpcCount.token }))
      return Effect.zipRight(told, tell(state))
    })
  })

const level = <E>(state: State<E>): Effect.Effect<number, E> => {
  const now = () => levelOf(state) / GrpcCount.token
  const ask = Background.shared(
    Effect.suspend(() => {
      const ended = Deferred.unsafeMake<void>(FiberId.none)
      state.reading = ended
      return Effect.flatMap(state.add(0), (exit) => {
        state.reading = undefined
        return Effect.as(Effect.zipRight(start(state), Deferred.succeed(ended, undefined)), exit)
      })
    })
  )
  return AtOnce.suspend(() =>
    state.isTelling || state.nowMillis() - state.learnedMillis < state.settings.idleMillis
      ? Exit.succeed(now())
      : Effect.map(ask, now)
  )
}

const close = <E>(state: State<E>): Effect.Effect<void> =>
  Effect.suspend(() => {
    state.isClosed = true
    state.isDue = true
    return Closing.inTime(state.store, tellLast(state))
  })

/** Waits for the call under way, and tells the store of the last failures and successes: at most three calls. */
const tellLast = <E>(state: State<E>): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (state.batch !== undefined) yield* Fiber.interrupt(state.batch)
    if (state.reading !== undefined) yield* Deferred.await(state.reading)
    yield* start(state)
    if (state.teller !== undefined) yield* Fiber.await(state.teller)
  })
