/**
 * The client for `redis` 6 (node-redis).
 *
 * `layer` opens its own connection. To use yours: `RedisStore.layer(fromClient(client))`, for a client made by
 * `createClient`, `createSentinel` or `createCluster`. It should have `disableOfflineQueue: true`: otherwise a command
 * waits for a server that is away. A cluster has it in its `defaults`, a Sentinel client in its `nodeClientOptions`. A
 * Sentinel client sends a command again after a lost connection (`maxCommandRediscovers`), which may take tokens twice.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createClient, type RedisClientOptions } from "redis"
import * as Bounded from "../store/Bounded.ts"
import * as Connection from "./Connection.ts"
import type { RedisClient } from "./RedisClient.ts"
import { RedisStore } from "./RedisStore.ts"
import * as RedisUrl from "./RedisUrl.ts"
import * as ScriptCalls from "./ScriptCalls.ts"
import * as ScriptStore from "./ScriptStore.ts"

/** The key and the arguments of a script. */
interface Arguments {
  readonly keys: Array<string>
  readonly arguments: Array<string>
}

/**
 * The caller's connection, made by `createClient`, `createSentinel` or `createCluster`.
 *
 * @category models
 */
export interface Commands {
  readonly evalSha: (sha: string, options: Arguments) => Promise<unknown>
  readonly eval: (script: string, options: Arguments) => Promise<unknown>
}

/**
 * Makes a client over your own connection, which you open, close and handle errors of; it is not changed.
 *
 * @category constructors
 */
export const fromClient = (connection: Commands): RedisClient => ({
  evalsha: (sha, key, args) => connection.evalSha(sha, { keys: [key], arguments: [...args] }),
  eval: (script, key, args) => connection.eval(script, { keys: [key], arguments: [...args] })
})

const owner = "NodeRedis.layer"

/** The options of `layer`: those of `redis`, except for those that would queue a command or reopen the connection independently. */
interface Options extends Omit<RedisClientOptions, "disableOfflineQueue" | "socket"> {
  /** The longest time for a call; one without an answer by then fails as `TimedOut`. @default "1 second" */
  readonly within?: Duration.DurationInput
  readonly socket?: Socket<NonNullable<RedisClientOptions["socket"]>>
}

type Socket<S> = S extends unknown ? Omit<S, "reconnectStrategy"> : never

/**
 * A layer with a store that opens its own connection, and closes it when the scope ends.
 *
 * Waits for the connection, but not longer than `within`, and not if it fails: without a server the store is made all
 * the same, and its calls fail as `Unavailable` until there is one. A lost connection is reopened with jitter.
 *
 * @category layers
 */
export const layer = ({ within, ...options }: Options): Layer.Layer<RedisStore> => {
  const withinMillis = Bounded.withinMillis(owner, within)
  RedisUrl.check(owner, options.url)
  return Layer.scoped(
    RedisStore,
    Effect.map(
      Connection.keep(() => link(options), withinMillis),
      ({ client, watch }) => ScriptStore.make(ScriptCalls.make(client, withinMillis, watch), withinMillis)
    )
  )
}

const link = ({ socket, ...options }: Omit<Options, "within">): Connection.Link => {
  const client = createClient({
    ...options,
    disableOfflineQueue: true,
    socket: { ...socket, reconnectStrategy: false }
  })
  return {
    client: fromClient(client),
    open: () => client.connect(),
    close: () => client.destroy(),
    listen: ({ onClosed, onError }) => {
      client.on("error", onError)
      client.on("terminated", onClosed)
      client.on("end", onClosed)
    }
  }
}
