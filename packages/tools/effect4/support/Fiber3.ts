/** What tests use of Effect 3's `Fiber` that Effect 4 has in another shape. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

type Any = Fiber.Fiber<any, any>

export const poll = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<Option.Option<Exit.Exit<A, E>>> =>
  Effect.sync(() => Option.fromUndefinedOr(fiber.pollUnsafe()))

export const interrupt = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber))

export const interruptAs = <A, E>(fiber: Fiber.Fiber<A, E>, by: number): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.andThen(Fiber.interruptAs(fiber, by), Fiber.await(fiber))

export const interruptFork = (fiber: Any): Effect.Effect<void> => Effect.sync(() => fiber.interruptUnsafe())

export const interruptAsFork = interruptFork

/** All of them as one: joined, it waits for each and answers their values. */
export const all = (fibers: ReadonlyArray<Any>): Any => Effect.runFork(Fiber.joinAll(fibers))
