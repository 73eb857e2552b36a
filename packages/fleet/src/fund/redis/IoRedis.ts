/**
 * The client for `ioredis` 5, which takes six tenths of the processor time of node-redis.
 *
 * `layer` opens its own connection. To use yours: `RedisStore.layer(fromClient(redis))`, for a `Redis`, with or without
 * Sentinel, or a `Cluster`. It should have `enableOfflineQueue: false`, `maxRetriesPerRequest: 0` and
 * `autoResendUnfulfilledCommands: false`: otherwise a command waits for a server that is away, and is sent again after
 * it may have been carried out. A `Cluster` takes the last two in its `redisOptions`. It also sends commands again by
 * itself: `retryDelayOnFailover: 0` prevents that after a lost connection, and `retryDelayOnClusterDown: 0` while the
 * cluster has no master for the slot.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Redis, type RedisOptions } from "ioredis"
import * as Bounded from "../store/Bounded.ts"
import * as Connection from "./Connection.ts"
import type { RedisClient } from "./RedisClient.ts"
import { RedisStore } from "./RedisStore.ts"
import * as RedisUrl from "./RedisUrl.ts"
import * as ScriptCalls from "./ScriptCalls.ts"
import * as ScriptStore from "./ScriptStore.ts"

/**
 * The caller's connection: a `Redis`, with or without Sentinel, or a `Cluster`.
 *
 * @category models
 */
export interface Commands {
  readonly evalsha: (sha: string, keys: number, key: string, ...args: Array<string>) => Promise<unknown>
  readonly eval: (script: string, keys: number, key: string, ...args: Array<string>) => Promise<unknown>
}

/**
 * Makes a client over your own connection, which you open, close and handle errors of; it is not changed.
 *
 * @category constructors
 */
export const fromClient = (connection: Commands): RedisClient => ({
  evalsha: (sha, key, args) => connection.evalsha(sha, 1, key, ...args),
  eval: (script, key, args) => connection.eval(script, 1, key, ...args)
})

/** Options that must be fixed, because they would queue a command, send it twice, or reopen the connection independently. */
const fixed = {
  autoResendUnfulfilledCommands: false,
  // Does not wait for the server when a connection is closed, because the server may be out of reach.
  disconnectTimeout: 1,
  enableOfflineQueue: false,
  lazyConnect: true,
  maxLoadingRetryTime: 1000,
  maxRetriesPerRequest: 0,
  monitor: false,
  reconnectOnError: null,
  retryStrategy: null,
  sentinelRetryStrategy: () => null
} satisfies RedisOptions

const owner = "IoRedis.layer"

/** The options of `layer`: those of `ioredis`, except for those that would queue a command or send it twice. */
interface Options extends Omit<RedisOptions, keyof typeof fixed | "offlineQueue"> {
  /** `redis[s]://[[username][:password]@][host][:port][/db]`, without a query; it takes precedence over the other options. */
  readonly url?: string
  /** The longest time for a call; one without an answer by then fails as `TimedOut`. @default "1 second" */
  readonly within?: Duration.DurationInput
}

/**
 * A layer with a store that opens its own connection, and closes it when the scope ends.
 *
 * Waits for the connection, but not longer than `within`, and not if it fails: without a server the store is made all
 * the same, and its calls fail as `Unavailable` until there is one. A lost connection is reopened with jitter.
 *
 * @category layers
 */
export const layer = ({ url, within, ...options }: Options): Layer.Layer<RedisStore> => {
  const withinMillis = Bounded.withinMillis(owner, within)
  const checked = RedisUrl.check(owner, url)
  return Layer.scoped(
    RedisStore,
    Effect.map(
      Connection.keep(() => link(checked, { ...options, ...fixed }), withinMillis),
      ({ client, watch }) => ScriptStore.make(ScriptCalls.make(client, withinMillis, watch), withinMillis)
    )
  )
}

const link = (url: string | undefined, options: RedisOptions): Connection.Link => {
  const redis = url === undefined ? new Redis(options) : new Redis(url, options)
  // A server without room for a client says so in the answer to its first command, and closes the connection. `ioredis`
  // reports the answer to AUTH or INFO, but drops the one to the library's name.
  if (redis.options.password == null) redis.options.disableClientInfo = true
  const { client, select } = selecting(redis)
  return {
    client,
    open: () => redis.connect().then(select),
    close: () => {
      if (redis.status !== "end" && redis.status !== "wait") redis.disconnect()
    },
    listen: ({ onClosed, onError }) => {
      redis.on("error", onError)
      redis.on("end", onClosed)
    }
  }
}

/**
 * `ioredis` selects the database by itself, and silently stays in database 0 if the server refuses. So it is selected
 * once more, and no script is sent before the server has agreed.
 */
const selecting = (redis: Redis): { readonly client: RedisClient; readonly select: () => Promise<void> } => {
  const database = redis.options.db ?? 0
  const commands = fromClient(redis)
  let isSelected = database === 0
  redis.on("close", () => {
    isSelected = database === 0
  })
  const unselected = () => Promise.reject(new Error("The connection has not selected its database"))
  return {
    client: {
      evalsha: (...call) => (isSelected ? commands.evalsha(...call) : unselected()),
      eval: (...call) => (isSelected ? commands.eval(...call) : unselected())
    },
    select: async () => {
      if (isSelected) return
      await redis.select(database).catch((refused: unknown) => {
        redis.disconnect()
        throw refused
      })
      isSelected = true
    }
  }
}
