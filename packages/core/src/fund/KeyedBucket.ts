/**
 * A bucket for each key.
 */
import type { Context } from "effect"
import { Effect, Layer, Stream } from "effect"
import * as Key from "./Key.ts"
import type { ChargingBucket, RetryBucket } from "./RetryBucket.ts"

/**
 * @category models
 */
export interface Keyed extends Key.Options {
  /** Makes the bucket of a key, such as `RetryBucket.makeQuota()`. */
  readonly bucket: Effect.Effect<RetryBucket>
}

/**
 * @category models
 */
export interface ChargingKeyed extends Key.Options {
  /** Makes the bucket of a key, such as `RetryBucket.makeChargingQuota({ firstCost: 1 })`. */
  readonly bucket: Effect.Effect<ChargingBucket>
}

/**
 * @category constructors
 */
export const makeKeyed = (options: Keyed): Effect.Effect<RetryBucket> =>
  Effect.map(cacheOf("RetryBucket.layerKeyed", options.bucket, options), delegating)

/**
 * @category constructors
 */
export const makeChargingKeyed = (options: ChargingKeyed): Effect.Effect<ChargingBucket> =>
  Effect.map(cacheOf("RetryBucket.layerChargingKeyed", options.bucket, options), (get) => ({
    ...delegating(get),
    takeFirst: (restore, atMost) => Effect.flatMap(get, (bucket) => bucket.takeFirst(restore, atMost))
  }))

/** A bucket is as good as new when it says so, or else when its level is as high. */
const cacheOf = <B extends Omit<RetryBucket, "takeFirst">>(
  owner: string,
  make: Effect.Effect<B>,
  options: Key.Options
): Effect.Effect<Effect.Effect<B>> => {
  const limits = Key.limits(owner, options)
  const initialLevel = Effect.flatMap(make, (bucket) => bucket.level.get)
  return Effect.flatMap(initialLevel, (initial) => {
    const isFresh = (bucket: B) => bucket.isFresh ?? Effect.map(bucket.level.get, (level) => level >= initial)
    return Effect.map(Key.makeCache(make, isFresh, limits), (cache) => cache.get)
  })
}

const delegating = (get: Effect.Effect<Omit<RetryBucket, "takeFirst">>): Omit<RetryBucket, "takeFirst"> => ({
  take: (kind, restore, atMost) => Effect.flatMap(get, (bucket) => bucket.take(kind, restore, atMost)),
  giveBack: (cost) => Effect.flatMap(get, (bucket) => bucket.giveBack(cost)),
  ended: (ended) => Effect.flatMap(get, (bucket) => bucket.ended(ended)),
  level: {
    get: Effect.flatMap(get, (bucket) => bucket.level.get),
    changes: Stream.unwrap(Effect.map(get, (bucket) => bucket.level.changes))
  }
})

/**
 * A bucket for each key behind a tag; the key is `RetryBucket.Key` of the operation's context.
 *
 * @category layers
 */
export const layerKeyed = <I>(tag: Context.Tag<I, RetryBucket>, options: Keyed): Layer.Layer<I> =>
  Layer.effect(tag, makeKeyed(options))

/**
 * The same of buckets that charge first attempts.
 *
 * @category layers
 */
export const layerChargingKeyed = <I>(tag: Context.Tag<I, ChargingBucket>, options: ChargingKeyed): Layer.Layer<I> =>
  Layer.effect(tag, makeChargingKeyed(options))
