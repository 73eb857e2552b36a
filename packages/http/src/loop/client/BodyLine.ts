/**
 * What differs between Effect 3 and Effect 4 in reading and writing streams.
 *
 * This is the file for Effect 3; the line for Effect 4 replaces it with its own.
 */
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

export const isStream = (value: unknown): boolean => Predicate.hasProperty(value, Stream.StreamTypeId)

/** Runs an effect for the pieces of a stream that arrive together, one after the other. */
export const forEachPieces = <A, E, R, X, E2, R2>(
  self: Stream.Stream<A, E, R>,
  run: (pieces: Iterable<A>) => Effect.Effect<X, E2, R2>
): Effect.Effect<void, E | E2, R | R2> => Stream.runForEachChunk(self, run)

/** Opens a stream, and returns an effect of the pieces that arrive next; `None` once the stream has ended. */
export const pulled = <A, E, R>(
  self: Stream.Stream<A, E, R>
): Effect.Effect<Effect.Effect<Option.Option<ReadonlyArray<A>>, E, R>, never, R | Scope.Scope> =>
  Effect.map(Stream.toPull(self), (pull) =>
    Effect.matchCauseEffect(pull, {
      onFailure: (cause) =>
        Option.match(Cause.flipCauseOption(cause), {
          onNone: () => Effect.succeedNone,
          onSome: Effect.failCause
        }),
      onSuccess: (pieces) => Effect.succeedSome(Chunk.toReadonlyArray(pieces))
    })
  )

/** A stream of the values with which a running effect calls `emit`. The effect does not wait for the consumer, and ends with it. */
export const emitted = <A, E, R>(
  run: (emit: (value: A) => void) => Effect.Effect<unknown, E, R>
): Stream.Stream<A, E, R> =>
  Stream.asyncPush<A, E, R>((emit) =>
    Effect.forkScoped(
      Effect.matchCause(Effect.interruptible(run((value) => void emit.single(value))), {
        onFailure: (cause) => emit.halt(cause),
        onSuccess: () => emit.end()
      })
    )
  )

/** A stream of what an effect answers again and again, until it fails: with nothing, the stream ends. */
export const repeated = <A, E>(pull: Effect.Effect<ReadonlyArray<A>, Option.Option<E>>): Stream.Stream<A, E> =>
  Stream.repeatEffectChunkOption(Effect.map(pull, Chunk.unsafeFromArray))

/** An effect whose interruption is not waited for. */
export const disconnected: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.disconnect
