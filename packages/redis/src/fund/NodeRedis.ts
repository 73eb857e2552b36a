/**
 * The client of buckets by `redis` (node-redis).
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createClient, type RedisClientOptions } from "redis"
import type { RedisClient } from "./RedisClient.ts"
import * as RedisStore from "./RedisStore.ts"

interface Arguments {
  readonly keys: Array<string>
  readonly arguments: Array<string>
}

/**
 * What is asked of a connection of the caller: what `createClient`, `createSentinel` or `createCluster` made.
 *
 * @category models
 */
export interface Connection {
  readonly evalSha: (sha: string, options: Arguments) => Promise<unknown>
  readonly eval: (script: string, options: Arguments) => Promise<unknown>
}

/**
 * A client by a connection of the caller, who made it and closes it; nothing of it is changed.
 *
 * @category constructors
 */
export const fromClient = (connection: Connection): RedisClient => ({
  evalsha: (sha, key, args) => connection.evalSha(sha, { keys: [key], arguments: [...args] }),
  eval: (script, key, args) => connection.eval(script, { keys: [key], arguments: [...args] })
})

/** The options of `layer`: those of `redis`, apart from what would queue a command. */
interface Options extends Omit<RedisClientOptions, "disableOfflineQueue"> {
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
          const connection = createClient({ ...options, disableOfflineQueue: true })
          connection.on("error", () => undefined)
          connection.connect().catch(() => undefined)
          return connection
        }),
        (connection) => Effect.sync(() => connection.destroy())
      ),
      (connection) => RedisStore.make(fromClient(connection), options)
    )
  )
