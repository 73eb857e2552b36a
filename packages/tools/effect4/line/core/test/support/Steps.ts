/**
 * The steps of fibers, as tests watch, hold and interrupt them.
 *
 * This is the file of Effect 4: a tracer sees each step before it is taken.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as Tracer from "effect/Tracer"

export type AnyFiber = Fiber.Fiber<unknown, unknown>

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** Hears of steps. */
export type Watcher = (fiber: AnyFiber, effect: AnyEffect) => void

/** Calls a function before each step of the fibers that it watches. */
export const watcher = (onStep: Watcher): Watcher => onStep

/** Knows the fibers that have begun and not ended. */
export const living = (): { readonly fibers: ReadonlySet<AnyFiber>; readonly watcher: Watcher } => {
  const fibers = new Set<AnyFiber>()
  return {
    fibers,
    watcher: (fiber) => {
      if (fibers.has(fiber)) return
      fibers.add(fiber)
      fiber.addObserver(() => void fibers.delete(fiber))
    }
  }
}

/** Has the steps of an effect be watched: on Effect 4 they always are. */
export const observed = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => self

const tracerOf = (watcher: Watcher): Tracer.Tracer =>
  Tracer.make({
    span: (options) => new Tracer.NativeSpan(options),
    context: (primitive, fiber) => {
      watcher(fiber, primitive as unknown as AnyEffect)
      return primitive["~effect/Effect/evaluate"](fiber)
    }
  })

/** Watches an effect. */
export const watched = <A, E, R>(self: Effect.Effect<A, E, R>, watcher: Watcher): Effect.Effect<A, E, R> =>
  Effect.provideService(self, Tracer.Tracer, tracerOf(watcher))

/** Interrupts a fiber, by no fiber; it takes notice after the step that it takes. */
export const interrupt = (fiber: AnyFiber): void => fiber.interruptUnsafe()

/** Whether an interruption between an effect and what follows it drops its result as well as its error. */
export const dropsResults: boolean = true

/** Whether an interruption in the step that hands an effect over keeps a watcher from seeing the effect. */
export const dropsHandedOver: boolean = true

/** Whether a fiber has been interrupted. */
export const isInterrupted = (fiber: AnyFiber & { readonly _interruptedCause?: unknown }): boolean =>
  fiber._interruptedCause !== undefined

/** Runs an effect as the first fiber of a program does: on Effect 4 as any other. */
export const asFirst = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => self

/** How many fibers run that no other one has begun: Effect 4 does not count them. */
export const roots = (): number => 0

/** A scheduler that hands the tasks of fibers to a function. */
export const scheduler = (take: (task: () => void) => void): Scheduler.Scheduler => ({
  executionMode: "async",
  shouldYield: () => false,
  makeDispatcher: () => ({ scheduleTask: take, flush: () => {} })
})

/** Runs effects on a clock and a scheduler, each in a fiber that takes its first step with its first task. */
export const forkOn = (clock: Clock.Clock, scheduler: Scheduler.Scheduler) => {
  const context = Effect.runSync(Effect.provideService(Effect.context<never>(), Clock.Clock, clock))
  return <A, E>(self: Effect.Effect<A, E>, watcher?: Watcher): Fiber.Fiber<A, E> =>
    Effect.runForkWith(context)(
      Effect.flatMap(Effect.yieldNow, () => (watcher === undefined ? self : watched(self, watcher))),
      { scheduler }
    )
}

/** Runs an effect on the scheduler of the fiber, which asks before a step whether to yield, and tells of tasks. */
export const yieldingWhere = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  asked: () => boolean,
  onTask: () => void
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const inner = fiber.getRef(Scheduler.Scheduler)
    return Effect.provideService(self, Scheduler.Scheduler, {
      executionMode: inner.executionMode,
      shouldYield: (fiber) => asked() || inner.shouldYield(fiber),
      makeDispatcher: () => {
        const dispatcher = inner.makeDispatcher()
        return {
          scheduleTask: (task, priority) => {
            onTask()
            dispatcher.scheduleTask(task, priority)
          },
          flush: () => dispatcher.flush()
        }
      }
    })
  })
