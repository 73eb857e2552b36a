/**
 * What Effect 3 and Effect 4 have in another shape, and not just under another name: fibers and their services, clocks, and
 * effects that run later. This is the file of Effect 4.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Latch from "effect/Latch"
import * as PubSub from "effect/PubSub"
import * as Random from "effect/Random"
import type { Flags } from "./Interruption.ts"
import * as Undeclared from "./Undeclared.ts"

export type AnyFiber = Fiber.Fiber<unknown, unknown>

/** What an operation reads of the fiber that runs it. */
export type View = Pick<AnyFiber, "context">

/** The clock and the random numbers of a fiber. */
export type Services = Context.Context<never>

/** What a fiber is about to do. */
export interface Status {
  readonly runtimeFlags: Flags
}

const interruptible: Status = { runtimeFlags: true }
const uninterruptible: Status = { runtimeFlags: false }

/** The fiber that runs. To be called while an effect runs. */
export const currentFiber = (): AnyFiber => Fiber.getCurrent()!

/** The fiber that runs; `undefined` where none does. */
export const runningFiber = (): AnyFiber | undefined => Fiber.getCurrent()

/** Reads the fiber that runs an effect, at its beginning. */
export const withFiber = <A, E, R>(
  read: (fiber: AnyFiber, status: Status) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => read(fiber, Undeclared.isInterruptible(fiber) ? interruptible : uninterruptible))

/** The same in an uninterruptible region, in one step. */
export const withUninterruptibleFiber = <A, E, R>(
  read: (fiber: AnyFiber) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.uninterruptibleMask(() => read(currentFiber()))

export const context = (fiber: View): Context.Context<never> => fiber.context

export const services = (fiber: View): Services => fiber.context

/** Those of a program that provides none. */
export const defaultServices: Services = /*#__PURE__*/ Context.empty()

/** What a fiber has now: it may have ended when an operation reads it. */
export const snapshot = (fiber: AnyFiber): View => ({ context: fiber.context })

/** Runs an effect with the context and services of a fiber, where the fiber that runs has others. */
export const runAs = <A, E>({ context }: View, fiber: AnyFiber, self: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  fiber.context === context ? self : Effect.updateContext<A, E, never, never>(self, () => context)

/** A name of a fiber, as log lines have it: `#7`. */
export const nameOf = ({ id }: AnyFiber): string => `#${id}`

/** How a fiber has ended; `undefined` while it runs. */
export const exitOf = <A, E>(fiber: Fiber.Fiber<A, E>): Exit.Exit<A, E> | undefined => fiber.pollUnsafe()

/** Calls a function when a fiber ends, at once if it has ended. Returns a function that prevents the call. */
export const onEnd = <A, E>(fiber: Fiber.Fiber<A, E>, call: (exit: Exit.Exit<A, E>) => void): (() => void) =>
  fiber.addObserver(call)

/** Interrupts a fiber, by no fiber, and does not wait for it. */
export const interrupt = (fiber: AnyFiber): Effect.Effect<void> => Effect.sync(() => fiber.interruptUnsafe())

/** The nanoseconds of a clock: they never go back, and setting the wall clock does not change them. */
export const nanos = (clock: Clock.Clock): bigint => clock.monotonicTimeNanosUnsafe()

/** The time of the wall clock. */
export const wallMillis = (clock: Clock.Clock): number => clock.currentTimeMillisUnsafe()

/** The time of the wall clock, as spans note it. */
export const wallNanos = (clock: Clock.Clock): bigint => clock.currentTimeNanosUnsafe()

/** Draws from the `Random` of a fiber. */
export const draw = (services: Services): Effect.Effect<number> => {
  const random = Context.get(services, Random.Random)
  return Effect.sync(() => random.nextDoubleUnsafe())
}

/** What effects have that run outside of the fiber. */
export type Runner = Context.Context<never>

export const runner: Effect.Effect<Runner> = /*#__PURE__*/ Effect.context<never>()

/** That of a program that provides nothing. */
export const defaultRunner: Runner = /*#__PURE__*/ Context.empty()

export const contextOf = (runner: Runner): Context.Context<never> => runner

/** Runs an effect in a fiber, which begins at once. */
export const runFork = <A, E>(runner: Runner, self: Effect.Effect<A, E>): Fiber.Fiber<A, E> =>
  Effect.runForkWith(runner)(self)

/** Runs an effect as a promise of its exit. */
export const runPromiseExit = <A, E>(
  runner: Runner,
  self: Effect.Effect<A, E>,
  options: { readonly signal?: AbortSignal }
): Promise<Exit.Exit<A, E>> => Effect.runPromiseExitWith(runner)(self, options)

/** Runs an effect in a fiber that outlives this one, from a region that cannot be interrupted: nor can the effect. */
export const forkUninterruptible = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<Fiber.Fiber<A, E>, never, R> => Effect.forkDetach(self, { uninterruptible: true })

/** Runs an effect in a fiber, which begins after this step. */
export const runLater = <A, E>(runner: Runner, self: Effect.Effect<A, E>): Fiber.Fiber<A, E> =>
  Effect.runForkWith(runner)(Effect.andThen(Effect.yieldNow, self))

/** Finalizers of a scope: one after the other, or all at once. */
export const [sequential, parallel] = ["sequential", "parallel"] as const

/** Opens a latch: who waits for it goes on after this step. */
export const open = (latch: Latch.Latch): void => {
  currentFiber().currentDispatcher.scheduleTask(() => latch.openUnsafe(), 0)
}

/** Makes a deferred, within this step. */
export const deferred = <A, E = never>(): Deferred.Deferred<A, E> => Deferred.makeUnsafe()

/** Publishes a value to a hub without a bound, in this step. */
export const publish = <A>(hub: PubSub.PubSub<A>, value: A): void => {
  PubSub.publishUnsafe(hub, value)
}

/** What subscribers take values from. */
export type Subscription<A> = PubSub.Subscription<A>
