/**
 * What differs between Effect 3 and Effect 4 in shape and not only in name: fibers and their services, clocks, and effects
 * that run later.
 *
 * This is the file for Effect 3; the line for Effect 4 replaces it with its own. The same holds for the rest of this folder
 * and for the modules whose names end in `Line`.
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRefs from "effect/FiberRefs"
import * as Option from "effect/Option"
import type * as PubSub from "effect/PubSub"
import type * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Runtime from "effect/Runtime"
import type { Flags } from "./Interruption.ts"

export type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** What an operation reads from the fiber that runs it. */
export type View = Pick<AnyFiber, "currentContext" | "currentDefaultServices" | "getFiberRef">

/** The clock and the random numbers of a fiber. */
export type Services = Context.Context<DefaultServices.DefaultServices>

/** The runtime flags of a fiber. */
export interface Status {
  readonly runtimeFlags: Flags
}

/** The running fiber. Call it only while an effect runs. */
export const currentFiber = (): AnyFiber => Option.getOrThrow(Fiber.getCurrentFiber())

/** The running fiber; `undefined` if none runs. */
export const runningFiber = (): AnyFiber | undefined => Option.getOrUndefined(Fiber.getCurrentFiber())

/** Makes an effect from the fiber that runs it. */
export const withFiber: <A, E, R>(
  read: (fiber: AnyFiber, status: Status) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R> = Effect.withFiberRuntime

/** The same in an uninterruptible region. */
export const withUninterruptibleFiber = <A, E, R>(
  read: (fiber: AnyFiber) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.uninterruptible(withFiber(read))

export const context = (fiber: Pick<View, "currentContext">): Context.Context<never> => fiber.currentContext

export const services = (fiber: Pick<View, "currentDefaultServices">): Services => fiber.currentDefaultServices

/** The services of a program that provides none. */
export const defaultServices: Services = DefaultServices.liveServices

/** A copy of what a fiber has now, because the fiber may have ended when an operation reads it. */
export const snapshot = (fiber: AnyFiber): View => {
  const fiberRefs = fiber.getFiberRefs()
  return {
    currentContext: fiber.currentContext,
    currentDefaultServices: fiber.currentDefaultServices,
    getFiberRef: (ref) => FiberRefs.getOrDefault(fiberRefs, ref)
  }
}

/** Runs an effect with the context and services of a fiber, if the running fiber has others. */
export const runAs = <A, E>(
  { currentContext, currentDefaultServices }: View,
  fiber: AnyFiber,
  self: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const served: typeof self =
    fiber.currentContext === currentContext
      ? self
      : Effect.mapInputContext<A, E, never, never>(self, () => currentContext)
  return fiber.currentDefaultServices === currentDefaultServices
    ? served
    : Effect.locally(served, DefaultServices.currentServices, currentDefaultServices)
}

/** The name of a fiber as log lines show it: `#7`. */
export const nameOf = (fiber: AnyFiber): string => FiberId.threadName(fiber.id())

/** The exit of a fiber; `undefined` while it runs. */
export const exitOf = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Exit.Exit<A, E> | undefined =>
  fiber.unsafePoll() ?? undefined

/** Calls a function when a fiber ends, at once if it has ended. Returns a function that prevents the call. */
export const onEnd = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, call: (exit: Exit.Exit<A, E>) => void): (() => void) => {
  fiber.addObserver(call)
  return () => fiber.removeObserver(call)
}

/** Interrupts a fiber, in the name of no other, without waiting for it. */
export const interrupt = (fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
  Fiber.interruptAsFork(fiber, FiberId.none)

/** The monotonic nanoseconds of a clock: they never go back, and setting the wall clock does not change them. */
export const nanos = (clock: Clock.Clock): bigint => clock.unsafeCurrentTimeNanos()

/** The time of the wall clock in milliseconds. */
export const wallMillis = (clock: Clock.Clock): number => clock.unsafeCurrentTimeMillis()

/** The time of the wall clock in nanoseconds, as spans record it. */
export const wallNanos = (clock: Clock.Clock): bigint => clock.unsafeCurrentTimeNanos()

/** Draws a number from the `Random` of a fiber. */
export const draw = (services: Services): Effect.Effect<number> => Context.get(services, Random.Random).next

/** What an effect needs to run outside the current fiber. */
export type Runner = Runtime.Runtime<never>

export const runner: Effect.Effect<Runner> = /*#__PURE__*/ Effect.runtime<never>()

/** The runner of a program that provides nothing. */
export const defaultRunner: Runner = Runtime.defaultRuntime

export const contextOf = (runner: Runner): Context.Context<never> => runner.context

/** Runs an effect in a new fiber, which begins at once. */
export const runFork = <A, E>(runner: Runner, self: Effect.Effect<A, E>): Fiber.RuntimeFiber<A, E> =>
  Runtime.runFork(runner, self)

/** Runs an effect as a promise of its exit. */
export const runPromiseExit = <A, E>(
  runner: Runner,
  self: Effect.Effect<A, E>,
  options: { readonly signal?: AbortSignal }
): Promise<Exit.Exit<A, E>> => Runtime.runPromiseExit(runner, self, options)

/** Runs an effect in a fiber that outlives this one, from a region that cannot be interrupted: nor can the effect. */
export const forkUninterruptible = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<Fiber.RuntimeFiber<A, E>, never, R> => Effect.forkDaemon(self)

/** Runs an effect in a new fiber, which begins after this step. */
export const runLater = <A, E>(runner: Runner, self: Effect.Effect<A, E>): Fiber.RuntimeFiber<A, E> =>
  Runtime.runFork(runner, self, { immediate: false })

/** The order of a scope's finalizers: one after the other, or all at once. */
export const { sequential, parallel } = ExecutionStrategy

/** Opens a latch: who waits for it goes on after this step. */
export const open = (latch: Effect.Latch): void => {
  latch.unsafeOpen()
}

/** Makes a deferred, within this step. */
export const deferred = <A, E = never>(): Deferred.Deferred<A, E> => Deferred.unsafeMake(FiberId.none)

/** Publishes a value to an unbounded hub, within this step. */
export const publish = <A>(hub: PubSub.PubSub<A>, value: A): void => {
  hub.unsafeOffer(value)
}

/** What subscribers take values from. */
export type Subscription<A> = Queue.Dequeue<A>
