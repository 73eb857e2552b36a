/**
 * The client of buckets by `ioredis`.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Redis, type RedisOptions } from "ioredis"
import type { RedisClient } from "./RedisClient.ts"
import * as RedisStore from "./RedisStore.ts"

/**
 * What is asked of a connection of the caller: a `Redis`, with or without Sentinel, or a `Cluster`.
 *
 * @category models
 */
export interface Connection {
  readonly evalsha: (sha: string, keys: number, key: string, ...args: Array<string>) => Promise<unknown>
  readonly eval: (script: string, keys: number, key: string, ...args: Array<string>) => Promise<unknown>
}

/**
 * A client by a connection of the caller, who made it and closes it; nothing of it is changed.
 *
 * @category constructors
 */
export const fromClient = (connection: Connection): RedisClient => ({
  evalsha: (sha, key, args) => connection.evalsha(sha, 1, key, ...args),
  eval: (script, key, args) => connection.eval(script, 1, key, ...args)
})

type Fixed = "autoResendUnfulfilledCommands" | "enableOfflineQueue" | "lazyConnect" | "maxRetriesPerRequest"

/** The options of `layer`: those of `ioredis`, apart from what would queue a command or send it twice. */
interface Options extends Omit<RedisOptions, Fixed> {
  /** Most time of a call. One without an answer by then fails as `TimedOut`. @default "1 second" */
  readonly within?: Duration.DurationInput
}

/**
 * A store with a connection of its own, which is closed when the scope ends.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<RedisStore.RedisStore> =>
  Layer.scoped(
    RedisStore.RedisStore,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const connection = new Redis({
            ...options,
            autoResendUnfulfilledCommands: false,
            enableOfflineQueue: false,
            maxRetriesPerRequest: 0
          })
          connection.on("error", () => undefined)
          return connection
        }),
        (connection) => Effect.sync(() => connection.disconnect())
      ),
      (connection) => RedisStore.make(fromClient(connection), options)
    )
  )
