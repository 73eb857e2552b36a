/**
 * What differs between Effect 3 and Effect 4 in reading and writing streams of bytes.
 *
 * This is the file for Effect 3; the line for Effect 4 replaces it with its own.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Runs an effect for the pieces of a stream that arrive together, one after the other. */
export const forEachPieces = <A, E, R, X, E2, R2>(
  self: Stream.Stream<A, E, R>,
  run: (pieces: Iterable<A>) => Effect.Effect<X, E2, R2>
): Effect.Effect<void, E | E2, R | R2> => Stream.runForEachChunk(self, run)

/** A stream of what an effect answers again and again, until it fails: with nothing, the stream ends. */
export const repeated = <A, E>(pull: Effect.Effect<ReadonlyArray<A>, Option.Option<E>>): Stream.Stream<A, E> =>
  Stream.repeatEffectChunkOption(Effect.map(pull, Chunk.unsafeFromArray))

/** An effect whose interruption is not waited for. */
export const disconnected: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.disconnect
