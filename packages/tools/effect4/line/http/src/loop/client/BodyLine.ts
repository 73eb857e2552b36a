/**
 * What differs between Effect 3 and Effect 4 in reading and writing streams of bytes. This is the file of Effect 4.
 */
import * as Array from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Option from "effect/Option"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

/** Runs an effect for the pieces of a stream that arrive together, one after the other. */
export const forEachPieces = <A, E, R, X, E2, R2>(
  self: Stream.Stream<A, E, R>,
  run: (pieces: Iterable<A>) => Effect.Effect<X, E2, R2>
): Effect.Effect<void, E | E2, R | R2> => Stream.runForEachArray(self, run)

/** A stream of what an effect answers again and again, until it fails: with nothing, the stream ends. */
export const repeated = <A, E>(pull: Effect.Effect<ReadonlyArray<A>, Option.Option<E>>): Stream.Stream<A, E> => {
  const pieces: Pull.Pull<Array.NonEmptyReadonlyArray<A>, E> = Effect.flatMap(
    Effect.catch(pull, (error): Pull.Pull<never, E> =>
      error._tag === "None" ? Cause.done() : Effect.fail(error.value)
    ),
    // A piece of a stream is never empty.
    (pieces) => (Array.isReadonlyArrayNonEmpty(pieces) ? Effect.succeed(pieces) : more)
  )
  const more = Effect.suspend(() => pieces)
  return Stream.fromPull(Effect.succeed(pieces)) as Stream.Stream<A, E>
}

/** An effect whose interruption is not waited for. */
export const disconnected = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(self)), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )
