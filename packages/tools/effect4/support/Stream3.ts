/** What tests use of Effect 3's `Stream` that Effect 4 has in another shape. */
import type * as Array from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"

export const runCollect = <A, E, R>(self: Stream.Stream<A, E, R>): Effect.Effect<Chunk.Chunk<A>, E, R> =>
  Effect.map(Stream.runCollect(self), Chunk.fromIterable)

export const fromChunk = <A>(chunk: Chunk.Chunk<A>): Stream.Stream<A> => Stream.fromArray(Chunk.toArray(chunk))

export const acquireRelease = <A, X>(
  acquire: Effect.Effect<A>,
  release: (a: A) => Effect.Effect<X>
): Stream.Stream<A> => Stream.scoped(Stream.fromEffect(Effect.acquireRelease(acquire, release)))

/** A stream that has subscribed already, where it is scoped. */
export const fromPubSub = <A>(self: PubSub.PubSub<A>, options?: { readonly scoped: boolean }): any =>
  options?.scoped === true ? Effect.map(PubSub.subscribe(self), Stream.fromSubscription) : Stream.fromPubSub(self)

export const mapChunks = <A, B, E, R>(
  self: Stream.Stream<A, E, R>,
  f: (chunk: Chunk.Chunk<A>) => Chunk.Chunk<B>
): Stream.Stream<B, E, R> =>
  Stream.mapArray(self, (values) => Chunk.toArray(f(Chunk.fromIterable(values))) as Array.NonEmptyArray<B>)
