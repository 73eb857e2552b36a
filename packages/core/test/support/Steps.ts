/**
 * The steps of fibers, as tests watch, hold and interrupt them.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import type { Clock, Exit } from "effect"
import {
  Cause,
  Effect,
  Fiber,
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

/** Receives the steps, or the fibers that begin and end. */
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

/** Keeps the fibers that have begun and not ended. */
export const living = (): { readonly fibers: ReadonlySet<AnyFiber>; readonly watcher: Watcher } => {
  const watcher = new Living()
  return { fibers: watcher.fibers, watcher }
}

/** Watches the steps of an effect. */
export const observed: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.withRuntimeFlagsPatch(
  RuntimeFlagsPatch.enable(RuntimeFlags.OpSupervision)
)

/** Watches an effect, from its second step on. */
export const watched = <A, E, R>(self: Effect.Effect<A, E, R>, watcher: Watcher): Effect.Effect<A, E, R> =>
  Effect.supervised(observed(self), watcher)

/** Interrupts a fiber, by no fiber; it takes notice before its next step. */
export const interrupt = (fiber: AnyFiber): void => fiber.unsafeInterruptAsFork(FiberId.none)

/** Whether an interruption between an effect and what follows it drops its result as well as its error. */
export const dropsResults: boolean = false

/** Whether an interruption in the step that hands an effect over keeps a watcher from seeing the effect. */
export const dropsHandedOver: boolean = false

/** Whether a fiber has been interrupted. */
export const isInterrupted = (fiber: AnyFiber): boolean => !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))

/** Runs an effect as the first fiber of a program does: it does not have this FiberRef, and a finalizer puts back what there was. */
export const asFirst = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.zipRight(FiberRef.delete(FiberRef.interruptedCause), self)

/** The number of running fibers that no other fiber has started. */
export const roots = (): number => Fiber.unsafeRoots().length

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
