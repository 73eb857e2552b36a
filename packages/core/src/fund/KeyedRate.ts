/**
 * A send rate for each key.
 */
import type { Context } from "effect"
import { Effect, Layer } from "effect"
import * as Key from "./Key.ts"
import type { SendRate } from "./SendRate.ts"

/**
 * @category models
 */
export interface Keyed extends Key.Options {
  /** Makes the send rate of a key, such as `SendRate.makeAdaptive()`. */
  readonly rate: Effect.Effect<SendRate>
}

/**
 * @category constructors
 */
export const makeKeyed = (options: Keyed): Effect.Effect<SendRate> => {
  const limits = Key.limits("SendRate.layerKeyed", options)
  const isFresh = (rate: SendRate) => rate.isFresh ?? Effect.succeed(false)
  return Effect.map(Key.makeCache(options.rate, isFresh, limits), ({ get }) => ({
    acquire: (wanted) => Effect.flatMap(get, (rate) => rate.acquire(wanted)),
    heard: (result) => Effect.flatMap(get, (rate) => rate.heard(result))
  }))
}

/**
 * A send rate for each key behind a tag; the key is `SendRate.Key` of the operation's context.
 *
 * What a send rate has learned is never lost unnoticed: an adaptive one that has a limit is kept, however long it is not
 * used, and makes room only once `offAfter` has taken the limit away.
 *
 * @category layers
 */
export const layerKeyed = <I>(tag: Context.Tag<I, SendRate>, options: Keyed): Layer.Layer<I> =>
  Layer.effect(tag, makeKeyed(options))
