/**
 * What differs between Effect 3 and Effect 4 in reading and writing streams. This is the file of Effect 4.
 */
import * as Array from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

export const isStream: (value: unknown) => boolean = Stream.isStream

/** Runs an effect for the pieces of a stream that arrive together, one after the other. */
export const forEachPieces = <A, E, R, X, E2, R2>(
  self: Stream.Stream<A, E, R>,
  run: (pieces: Iterable<A>) => Effect.Effect<X, E2, R2>
): Effect.Effect<void, E | E2, R | R2> => Stream.runForEachArray(self, run)

/** Opens a stream, and returns an effect of the pieces that arrive next; `None` once the stream has ended. */
export const pulled = <A, E, R>(
  self: Stream.Stream<A, E, R>
): Effect.Effect<Effect.Effect<Option.Option<ReadonlyArray<A>>, E, R>, never, R | Scope.Scope> =>
  Effect.map(Stream.toPull(self), (pull) => Pull.catchDone(Effect.asSome(pull), () => Effect.succeedNone))

/** A stream of the values with which a running effect calls `emit`. The effect does not wait for the consumer, and ends with it. */
export const emitted = <A, E, R>(
  run: (emit: (value: A) => void) => Effect.Effect<unknown, E, R>
): Stream.Stream<A, E, R> =>
  Stream.callback<A, E, R>(
    (queue) =>
      Effect.flatMap(
        run((value) => void Queue.offerUnsafe(queue, value)),
        () => Queue.end(queue)
      ),
    { bufferSize: Infinity }
  )

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
