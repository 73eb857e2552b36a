/**
 * Effects that no caller can end too early or hold up: bounded, shared, in one step.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"

/**
 * How an effect ends, if it does so within `millis`; else it is interrupted, and not waited for. Cannot be interrupted
 * itself: it also runs in finalizers.
 *
 * Not a race: that waits for an effect which cannot be interrupted.
 *
 * @category running
 */
export const exitWithin = <A, E>(
  self: Effect.Effect<A, E>,
  millis: number
): Effect.Effect<Option.Option<Exit.Exit<A, E>>> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const answer = yield* Deferred.make<Option.Option<Exit.Exit<A, E>>>()
      const decide = (exit: Option.Option<Exit.Exit<A, E>>) => Deferred.succeed(answer, exit)
      const running = yield* Effect.forkDaemon(
        Effect.flatMap(Effect.exit(Effect.interruptible(self)), (exit) => decide(Option.some(exit)))
      )
      const timer = yield* Effect.forkDaemon(Effect.interruptible(Effect.delay(decide(Option.none()), millis)))
      const ended = yield* Deferred.await(answer)
      yield* stop(timer)
      if (Option.isNone(ended)) yield* stop(running)
      return ended
    })
  )

/**
 * Interrupts a fiber without waiting for its end.
 *
 * @category running
 */
export const stop = (fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
  Fiber.interruptAsFork(fiber, FiberId.none)

/**
 * An effect that runs later, and is not interrupted between what it changes and what it starts.
 *
 * @category running
 */
export const atomically = (start: () => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.uninterruptible(Effect.suspend(start))

/**
 * Runs an effect for all callers that come before it has ended. A caller that is interrupted leaves it to the others.
 *
 * @category combinators
 */
export const shared = <A, E>(self: Effect.Effect<Exit.Exit<A, E>>): Effect.Effect<A, E> => {
  let underWay: Deferred.Deferred<A, E> | undefined
  return Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      if (underWay !== undefined) return restore(Deferred.await(underWay))
      const answer = Deferred.unsafeMake<A, E>(FiberId.none)
      underWay = answer
      const running = Effect.flatMap(self, (exit) => {
        underWay = undefined
        return Deferred.done(answer, exit)
      })
      return Effect.zipRight(Effect.forkDaemon(running), restore(Deferred.await(answer)))
    })
  )
}
