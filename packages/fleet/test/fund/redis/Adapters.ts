/** Both libraries, so that what is shown of one is shown of the other. */
import type * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as NodeRedis from "@effect-retry/fleet/NodeRedis"
import type { Duration, Layer } from "effect"

export interface Options {
  readonly port: number
  readonly within?: Duration.DurationInput
  readonly username?: string
  readonly password?: string
  /** What the server calls the connection. */
  readonly name?: string
}

interface UrlOptions {
  readonly url: string
  readonly within: Duration.DurationInput
}

interface Adapter {
  readonly library: string
  readonly layer: (options: Options) => Layer.Layer<RedisStore.RedisStore>
  readonly byUrl: (options: UrlOptions) => Layer.Layer<RedisStore.RedisStore>
}

const host = "127.0.0.1"

export const adapters: ReadonlyArray<Adapter> = [
  {
    library: "ioredis",
    layer: ({ name, ...options }) =>
      IoRedis.layer({ host, ...options, ...(name === undefined ? {} : { connectionName: name }) }),
    byUrl: IoRedis.layer
  },
  {
    library: "node-redis",
    layer: ({ port, ...options }) => NodeRedis.layer({ socket: { host, port }, ...options }),
    byUrl: NodeRedis.layer
  }
]
