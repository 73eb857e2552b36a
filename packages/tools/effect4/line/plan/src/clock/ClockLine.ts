/**
 * Effect's `Clock` and `Scheduler`, which Effect 3 and Effect 4 have in another shape. This is the file of Effect 4.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import type { Watched } from "./Activity.ts"
import * as Activity from "./Activity.ts"

/** What a clock shows, and how it sleeps. */
export interface Times {
  readonly nanos: () => bigint
  readonly wallMillis: () => number
  readonly sleep: (duration: Duration.Duration) => Effect.Effect<void>
}

export const make = ({ nanos, sleep, wallMillis }: Times): Clock.Clock => {
  const wallNanos = () => BigInt(wallMillis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: wallMillis,
    currentTimeNanosUnsafe: wallNanos,
    monotonicTimeNanosUnsafe: nanos,
    currentTimeMillis: Effect.sync(wallMillis),
    currentTimeNanos: Effect.sync(wallNanos),
    monotonicTimeNanos: Effect.sync(nanos),
    sleep
  }
}

/** A clock that is installed, and what else a program has of it. */
export interface Made<S> {
  readonly clock: Clock.Clock
  readonly control: S
  readonly stop: () => void
}

type Make<S> = (watched: Watched) => Made<S>

/** A clock that stops with the scope, and the scheduler by which it watches fibers. */
const acquire = <S>(make: Make<S>) =>
  Effect.acquireRelease(
    Effect.contextWith((context: Context.Context<never>) => {
      const watched = Activity.watch(context)
      const { clock, control, stop } = make(watched)
      const services = Context.make(Clock.Clock, clock).pipe(Context.add(Scheduler.Scheduler, watched.scheduler))
      return Effect.succeed({ control, services, stop })
    }),
    ({ stop }) => Effect.sync(stop)
  )

/** A clock that watches the fibers of a run. */
export const layer = <I, S>(key: Context.Key<I, S>, make: Make<S>): Layer.Layer<I> =>
  Layer.effectContext(Effect.map(acquire(make), ({ control, services }) => Context.add(services, key, control)))

/** Runs an effect, and all that its scope holds, on a clock that watches its fibers. */
export const runScoped = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  make: Make<unknown>
): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
  Effect.scoped(Effect.flatMap(acquire(make), ({ services }) => Effect.provideContext(Effect.scoped(self), services)))

/** Runs effects on a clock, whose fibers hand each task to `later`. */
export const runnerOn = (clock: Clock.Clock, later: (task: () => void) => void) => {
  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: () => false,
    makeDispatcher: () => ({ scheduleTask: (task) => later(task), flush: () => {} })
  }
  const services = Context.make(Clock.Clock, clock).pipe(Context.add(Scheduler.Scheduler, scheduler))
  return {
    fork: (self: Effect.Effect<void>) => Effect.runForkWith(services)(self),
    runSync: <A>(self: Effect.Effect<A>): A => Effect.runSyncWith(services)(self)
  }
}

/** Runs a task in a turn of its own, by a timer of the platform. */
export const byTimer = (task: () => void): void => {
  setTimeout(task, 0)
}
