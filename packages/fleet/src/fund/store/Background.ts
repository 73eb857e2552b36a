/**
 * Effects that outlive the caller that started them.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** Begins an effect in a separate fiber, which can be interrupted. */
export const begin = (self: Effect.Effect<unknown>): Effect.Effect<Fiber.Fiber<unknown>> =>
  Effect.forkDaemon(Effect.interruptible(self))

/** An effect that runs later, without an interruption between its changes and what it starts. */
export const atomically = (start: () => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.uninterruptible(Effect.suspend(start))

/**
 * Makes a value that is closed when the scope ends.
 *
 * Unlike with `Effect.acquireRelease`, the scope keeps nothing of the operation that makes it: the context of the first
 * operation of a key would otherwise stay in memory for as long as the key.
 */
export const inScope = <S, A>(
  make: Effect.Effect<S>,
  close: (state: S) => Effect.Effect<void>,
  of: (state: S) => A
): Effect.Effect<A, never, Scope.Scope> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.scope, (scope) =>
      Effect.flatMap(make, (state) => Effect.as(Scope.addFinalizer(scope, close(state)), of(state)))
    )
  )
