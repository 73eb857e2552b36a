/**
 * The client of buckets by `ioredis` 5, which takes six tenths of the processor time of node-redis.
 *
 * `layer` opens its own connection. To use yours: `RedisStore.layer(fromClient(redis))`, for a
 * `Redis`, one by Sentinel, or a `Cluster`. It should have `enableOfflineQueue: false`, `maxRetriesPerRequest: 0` and
 * `autoResendUnfulfilledCommands: false`: otherwise a command waits for a server that is away, and is sent again after it
 * may have been carried out. A `Cluster` takes the last two in its `redisOptions`. It also sends commands again by itself:
 * `retryDelayOnFailover: 0` keeps it from doing so after a connection was lost, and `retryDelayOnClusterDown: 0` while the
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
 * A connection of the caller: a `Redis`, with or without Sentinel, or a `Cluster`.
 *
 * @category models
 */
export interface Commands {
  readonly evalsha: (sha: string, keys: number, key: string, ...args: Array<string>) => Promise<unknown>
  readonly eval: (script: string, keys: number, key: string, ...args: Array<string>) => Promise<unknown>
}

/**
 * A client over your own connection: you open it, handle its errors and close it; it is not changed.
 *
 * @category constructors
 */
export const fromClient = (connection: Commands): RedisClient => ({
  evalsha: (sha, key, args) => connection.evalsha(sha, 1, key, ...args),
  eval: (script, key, args) => connection.eval(script, 1, key, ...args)
})

/** What would queue a command, send it twice, or open the connection beside us. */
const fixed = {
  autoResendUnfulfilledCommands: false,
  // Waits for no answer of the server when a connection is closed: the server may be out of reach.
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

/** The options of `layer`: those of `ioredis`, apart from what would queue a command or send it twice. */
interface Options extends Omit<RedisOptions, keyof typeof fixed | "offlineQueue"> {
  /** `redis[s]://[[username][:password]@][host][:port][/db]`, without a query; what it says comes before the other options. */
  readonly url?: string
  /** Most time of a call. One without an answer by then fails as `TimedOut`. @default "1 second" */
  readonly within?: Duration.DurationInput
}

/**
 * A store that opens its own connection, and closes it when the scope ends.
 *
 * Waits for the connection, but no longer than `within` and not where it fails: without a server the store is made
 * nevertheless, and its calls fail as `Unavailable` until there is one. A lost connection is opened again with jitter.
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
  // A server that has no room for a client says so as the answer to its first command, and closes the connection. `ioredis`
  // tells what is answered to AUTH or INFO, and drops what is answered to the name of the library.
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
 * `ioredis` selects the database by itself, and stays in database 0 without a word where the server refuses that. So it is
 * selected once more, and no script is sent before the server has agreed.
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
