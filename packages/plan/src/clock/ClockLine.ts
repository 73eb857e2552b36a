/**
 * Effect's `Clock` and `Scheduler`, whose shape differs between Effect 3 and Effect 4. This is the file for Effect 3.
 */
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import type { Watched } from "./Activity.ts"
import * as Activity from "./Activity.ts"

/** What a clock shows, and how it sleeps. */
interface Times {
  readonly nanos: () => bigint
  readonly wallMillis: () => number
  readonly sleep: (duration: Duration.Duration) => Effect.Effect<void>
}

export const make = ({ nanos, sleep, wallMillis }: Times): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: wallMillis,
  unsafeCurrentTimeNanos: nanos,
  currentTimeMillis: Effect.sync(wallMillis),
  currentTimeNanos: Effect.sync(nanos),
  sleep
})

/** An installed clock, and the service that a program gets with it. */
export interface Made<S> {
  readonly clock: Clock.Clock
  readonly control: S
  readonly stop: () => void
}

type Make<S> = (watched: Watched) => Made<S>

/** Installs a clock that watches the fibers of a run, until the scope closes. */
const install = <S>(make: Make<S>): Effect.Effect<S, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { clock, control, stop } = make(yield* Activity.watch)
    yield* Effect.withClockScoped(clock)
    yield* Effect.addFinalizer(() => Effect.sync(stop))
    return control
  })

/** A clock that watches the fibers of a run. */
export const layer = <I, S>(tag: Context.Tag<I, S>, make: Make<S>): Layer.Layer<I> => Layer.scoped(tag, install(make))

/** Runs an effect, and all that its scope holds, on a clock that watches its fibers. */
export const runScoped = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  make: Make<unknown>
): Effect.Effect<A, E, Exclude<R, Scope.Scope>> => Effect.scoped(Effect.zipRight(install(make), self))

/** Runs effects on a clock, with fibers that pass each task to `later`. */
export const runnerOn = (clock: Clock.Clock, later: (task: () => void) => void) => {
  const scheduler = Scheduler.make(later, () => false)
  const runtime = Effect.runSync(Effect.runtime().pipe(Effect.withClock(clock), Effect.withScheduler(scheduler)))
  return { fork: Runtime.runFork(runtime), runSync: Runtime.runSync(runtime) }
}

/** Runs a task in a separate turn of the event loop, with a timer of the platform. */
export const byTimer = (task: () => void): void => timers.scheduleTask(task, 0)

const timers = /*#__PURE__*/ Scheduler.timer(0)
