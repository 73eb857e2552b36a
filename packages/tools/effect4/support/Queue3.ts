/** What tests use of Effect 3's `Queue` that Effect 4 has in another shape: the subscriptions of a hub are queues. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"

export const takeAll = <A>(self: PubSub.Subscription<A>): Effect.Effect<Chunk.Chunk<A>> =>
  Effect.map(PubSub.takeAll(self), Chunk.fromIterable)

export const takeUpTo = <A>(self: PubSub.Subscription<A>, most: number): Effect.Effect<Chunk.Chunk<A>> =>
  Effect.map(PubSub.takeUpTo(self, most), Chunk.fromIterable)

export const size = <A>(self: PubSub.Subscription<A>): Effect.Effect<number> => PubSub.remaining(self)
