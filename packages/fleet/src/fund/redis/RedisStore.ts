/**
 * The store of buckets in Redis or Valkey: one script and one round trip for every decision.
 *
 * A script is run by its digest, and sent in full only if the server does not have it: after `SCRIPT FLUSH`, a restart
 * or a failover. Nothing else is sent twice, unless the caller's client does so by itself. Needs Redis 5 or Valkey, on
 * Node.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import type { RedisError } from "../../accept/RedisError.ts"
import * as Bounded from "../store/Bounded.ts"
import type { RedisClient } from "./RedisClient.ts"
import * as ScriptCalls from "./ScriptCalls.ts"
import * as ScriptStore from "./ScriptStore.ts"
import type { Store } from "../store/Store.ts"

/**
 * The store that the buckets of `RedisBucket` ask.
 *
 * @category models
 */
export class RedisStore extends Context.Tag("@effect-retry/fleet/RedisStore")<RedisStore, Store<RedisError>>() {}

/** The options of `make` and `layer`. */
interface Options {
  /** The longest time for a call; one without an answer by then fails as `TimedOut`. @default "1 second" */
  readonly within?: Duration.DurationInput
}

/**
 * Makes a store that asks through a client. The client belongs to the caller: it is never closed or reconfigured.
 *
 * @category constructors
 */
export const make = (client: RedisClient, options: Options = {}): Store<RedisError> =>
  of(client, Bounded.withinMillis("RedisStore.make", options.within))

const of = (client: RedisClient, withinMillis: number): Store<RedisError> =>
  ScriptStore.make(ScriptCalls.make(client, withinMillis), withinMillis)

/**
 * The store of a client as a layer.
 *
 * @category layers
 */
export const layer = (client: RedisClient, options: Options = {}): Layer.Layer<RedisStore> => {
  const withinMillis = Bounded.withinMillis("RedisStore.layer", options.within)
  return Layer.sync(RedisStore, () => of(client, withinMillis))
}
