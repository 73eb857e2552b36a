/**
 * What Effect 3 and Effect 4 have in another shape, and not just under another name: fibers and their services, clocks, and
 * effects that run later.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own. So it is with all of this folder, and with
 * the modules whose names end in `Line`.
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
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

/** What an operation reads of the fiber that runs it. */
export type View = Pick<AnyFiber, "currentContext" | "currentDefaultServices" | "getFiberRef">

/** The clock and the random numbers of a fiber. */
export type Services = Context.Context<DefaultServices.DefaultServices>

/** What a fiber is about to do. */
export interface Status {
  readonly runtimeFlags: Flags
}

/** The fiber that runs. To be called while an effect runs. */
export const currentFiber = (): AnyFiber => Option.getOrThrow(Fiber.getCurrentFiber())

/** Reads the fiber that runs an effect, at its beginning. */
export const withFiber: <A, E, R>(
  read: (fiber: AnyFiber, status: Status) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R> = Effect.withFiberRuntime

export const context = (fiber: Pick<View, "currentContext">): Context.Context<never> => fiber.currentContext

export const services = (fiber: Pick<View, "currentDefaultServices">): Services => fiber.currentDefaultServices

/** Those of a program that provides none. */
export const defaultServices: Services = DefaultServices.liveServices

/** What a fiber has now: it may have ended when an operation reads it. */
export const snapshot = (fiber: AnyFiber): View => {
  const fiberRefs = fiber.getFiberRefs()
  return {
    currentContext: fiber.currentContext,
    currentDefaultServices: fiber.currentDefaultServices,
    getFiberRef: (ref) => FiberRefs.getOrDefault(fiberRefs, ref)
  }
}

/** Runs an effect with the context and services of a fiber, where the fiber that runs has others. */
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

/** A name of a fiber, as log lines have it: `#7`. */
export const nameOf = (fiber: AnyFiber): string => FiberId.threadName(fiber.id())

/** How a fiber has ended; `undefined` while it runs. */
export const exitOf = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Exit.Exit<A, E> | undefined =>
  fiber.unsafePoll() ?? undefined

/** Interrupts a fiber, by no fiber, and does not wait for it. */
export const interrupt = (fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
  Fiber.interruptAsFork(fiber, FiberId.none)

/** The nanoseconds of a clock: they never go back, and setting the wall clock does not change them. */
export const nanos = (clock: Clock.Clock): bigint => clock.unsafeCurrentTimeNanos()

/** The time of the wall clock. */
export const wallMillis = (clock: Clock.Clock): number => clock.unsafeCurrentTimeMillis()

/** The time of the wall clock, as spans note it. */
export const wallNanos = (clock: Clock.Clock): bigint => clock.unsafeCurrentTimeNanos()

/** Draws from the `Random` of a fiber. */
export const draw = (services: Services): Effect.Effect<number> => Context.get(services, Random.Random).next

/** What effects have that run outside of the fiber. */
export type Runner = Runtime.Runtime<never>

export const runner: Effect.Effect<Runner> = /*#__PURE__*/ Effect.runtime<never>()

/** That of a program that provides nothing. */
export const defaultRunner: Runner = Runtime.defaultRuntime

export const contextOf = (runner: Runner): Context.Context<never> => runner.context

/** Runs an effect in a fiber, which begins at once. */
export const runFork = <A, E>(runner: Runner, self: Effect.Effect<A, E>): Fiber.RuntimeFiber<A, E> =>
  Runtime.runFork(runner, self)

/** Runs an effect in a fiber, which begins after this step. */
export const runLater = <A, E>(runner: Runner, self: Effect.Effect<A, E>): Fiber.RuntimeFiber<A, E> =>
  Runtime.runFork(runner, self, { immediate: false })

/** Finalizers of a scope: one after the other, or all at once. */
export const { sequential, parallel } = ExecutionStrategy

/** Publishes a value to a hub without a bound, in this step. */
export const publish = <A>(hub: PubSub.PubSub<A>, value: A): void => {
  hub.unsafeOffer(value)
}

/** What subscribers take values from. */
export type Subscription<A> = Queue.Dequeue<A>
