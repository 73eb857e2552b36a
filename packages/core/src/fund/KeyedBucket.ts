/**
 * A bucket for each key.
 */
import type { Context, Duration } from "effect"
import { Effect, Layer, Stream } from "effect"
import * as Argument from "../check/InvalidArgument.ts"
import * as Key from "./Key.ts"
import type { RetryBucket } from "./RetryBucket.ts"

/**
 * @category models
 */
export interface Keyed {
  /** Makes the bucket of a key, such as `RetryBucket.makeQuota()`. */
  readonly bucket: Effect.Effect<RetryBucket>
  /** Most buckets at a time; keys beyond share one more. */
  readonly maxKeys: number
  /** A bucket not used for so long is dropped once its level is what a new one would have. */
  readonly idleTimeToLive: Duration.DurationInput
}

/**
 * @category constructors
 */
export const makeKeyed = (options: Keyed): Effect.Effect<RetryBucket> => {
  const owner = "RetryBucket.layerKeyed"
  const limits = {
    maxKeys: Argument.number(owner, "maxKeys", options.maxKeys, { min: 1, integer: true }),
    idleMillis: Argument.millis(owner, "idleTimeToLive", options.idleTimeToLive, { min: 1 })
  }
  const initialLevel = Effect.flatMap(options.bucket, (bucket) => bucket.level.get)
  const makeCache = Effect.flatMap(initialLevel, (initial) =>
    Key.makeCache(options.bucket, (bucket) => Effect.map(bucket.level.get, (level) => level >= initial), limits)
  )
  return Effect.map(makeCache, ({ get }) => ({
    take: (kind, restore) => Effect.flatMap(get, (bucket) => bucket.take(kind, restore)),
    giveBack: (cost) => Effect.flatMap(get, (bucket) => bucket.giveBack(cost)),
    ended: (ended) => Effect.flatMap(get, (bucket) => bucket.ended(ended)),
    level: {
      get: Effect.flatMap(get, (bucket) => bucket.level.get),
      changes: Stream.unwrap(Effect.map(get, (bucket) => bucket.level.changes))
    }
  }))
}

/**
 * A bucket for each key behind a tag; the key is `RetryBucket.Key` of the operation's context.
 *
 * @category layers
 */
export const layerKeyed = <I>(tag: Context.Tag<I, RetryBucket>, options: Keyed): Layer.Layer<I> =>
  Layer.effect(tag, makeKeyed(options))
