/**
 * The steps of fibers, as tests watch, hold and interrupt them.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import type { Clock, Exit, Fiber } from "effect"
import {
  Effect,
  FiberId,
  FiberRef,
  FiberRefs,
  Runtime,
  RuntimeFlags,
  RuntimeFlagsPatch,
  Scheduler,
  Supervisor
} from "effect"

export type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** Hears of steps, or of the fibers that begin and end. */
export type Watcher = Supervisor.Supervisor<unknown>

class Steps extends Supervisor.AbstractSupervisor<void> {
  override readonly value = Effect.void
  readonly #onStep: (fiber: AnyFiber, effect: AnyEffect) => void
  constructor(onStep: (fiber: AnyFiber, effect: AnyEffect) => void) {
    super()
    this.#onStep = onStep
  }
  override onEffect<A, E>(fiber: Fiber.RuntimeFiber<A, E>, effect: AnyEffect): void {
    this.#onStep(fiber, effect)
  }
}

/** Calls a function before each step of the fibers that it watches. */
export const watcher = (onStep: (fiber: AnyFiber, effect: AnyEffect) => void): Watcher => new Steps(onStep)

class Living extends Supervisor.AbstractSupervisor<void> {
  override readonly value = Effect.void
  readonly fibers = new Set<AnyFiber>()
  override onStart<A, E, R>(_: unknown, __: Effect.Effect<A, E, R>, ___: unknown, fiber: Fiber.RuntimeFiber<A, E>) {
    this.fibers.add(fiber)
  }
  override onEnd<A, E>(_: Exit.Exit<A, E>, fiber: Fiber.RuntimeFiber<A, E>) {
    this.fibers.delete(fiber)
  }
}

/** Knows the fibers that have begun and not ended. */
export const living = (): { readonly fibers: ReadonlySet<AnyFiber>; readonly watcher: Watcher } => {
  const watcher = new Living()
  return { fibers: watcher.fibers, watcher }
}

/** Has the steps of an effect be watched. */
export const observed: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.withRuntimeFlagsPatch(
  RuntimeFlagsPatch.enable(RuntimeFlags.OpSupervision)
)

/** Watches an effect, from its second step on. */
export const watched = <A, E, R>(self: Effect.Effect<A, E, R>, watcher: Watcher): Effect.Effect<A, E, R> =>
  Effect.supervised(observed(self), watcher)

/** Interrupts a fiber, by no fiber; it takes notice before its next step. */
export const interrupt = (fiber: AnyFiber): void => fiber.unsafeInterruptAsFork(FiberId.none)

/** A scheduler that hands the tasks of fibers to a function. */
export const scheduler = (take: (task: () => void) => void): Scheduler.Scheduler => Scheduler.make(take)

/** Runs effects on a clock and a scheduler, each in a fiber that takes its first step with its first task. */
export const forkOn = (clock: Clock.Clock, scheduler: Scheduler.Scheduler) => {
  const runtime = Effect.runSync(Effect.withClock(Effect.runtime(), clock))
  return <A, E>(self: Effect.Effect<A, E>, watcher?: Watcher): Fiber.RuntimeFiber<A, E> =>
    Runtime.runFork(runtime)(self, {
      scheduler,
      immediate: false,
      updateRefs: (refs, fiberId) =>
        watcher === undefined
          ? refs
          : FiberRefs.updateAs(refs, { fiberId, fiberRef: FiberRef.currentSupervisor, value: watcher })
    })
}

/** Runs an effect on the scheduler of the fiber, which asks before a step whether to yield, and tells of tasks. */
export const yieldingWhere = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  asked: () => boolean,
  onTask: () => void
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime(({ currentScheduler: inner }) =>
    Effect.withScheduler(self, {
      scheduleTask: (task, priority, fiber) => {
        onTask()
        inner.scheduleTask(task, priority, fiber)
      },
      shouldYield: (fiber) => (asked() ? 0 : inner.shouldYield(fiber))
    })
  )
