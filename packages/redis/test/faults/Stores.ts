/** Stores by both clients, with the connection that a program has. */
import type * as Cluster from "@effect-retry/servers/Cluster"
import type * as Sentinel from "@effect-retry/servers/Sentinel"
import { Effect, Layer } from "effect"
import { Cluster as IoCluster, type RedisOptions } from "ioredis"
import { createCluster, createSentinel } from "redis"
import * as IoRedis from "../../src/fund/redis/IoRedis.ts"
import * as NodeRedis from "../../src/fund/redis/NodeRedis.ts"
import type { RedisClient } from "../../src/fund/redis/RedisClient.ts"
import * as RedisStore from "../../src/fund/redis/RedisStore.ts"
import { withinMillis } from "./Load.ts"

type Stores = Readonly<Record<"ioredis" | "node-redis", Layer.Layer<RedisStore.RedisStore>>>

interface Place {
  readonly host: string
  readonly port: number
}

const within = withinMillis

const placeOf = ({ host, port }: Place): Place => ({ host, port })

/** Of one server, or of a proxy before it. */
export const ofServer = (server: Place): Stores => ({
  ioredis: IoRedis.layer({ ...placeOf(server), within }),
  "node-redis": NodeRedis.layer({ socket: placeOf(server), within })
})

const ofClient = (open: () => Promise<{ readonly client: RedisClient; readonly close: () => unknown }>) =>
  Layer.scoped(
    RedisStore.RedisStore,
    Effect.map(
      Effect.acquireRelease(Effect.promise(open), ({ close }) => Effect.sync(close)),
      ({ client }) => RedisStore.make(client, { within })
    )
  )

/** Of the primary that the sentinels name. */
export const ofSentinel = ({ name, sentinels }: Sentinel.Sentinel): Stores => ({
  ioredis: IoRedis.layer({ name, sentinels: sentinels.map(placeOf), within }),
  "node-redis": ofClient(async () => {
    const client = createSentinel({
      name,
      sentinelRootNodes: sentinels.map(placeOf),
      nodeClientOptions: { disableOfflineQueue: true }
    })
    client.on("error", () => {})
    await client.connect()
    return { client: NodeRedis.fromClient(client), close: () => client.destroy() }
  })
})

/** What keeps a client from queueing a command and from sending it twice. */
const strict: RedisOptions = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0
}

/** Of the nodes of a cluster. */
export const ofCluster = ({ nodes }: Cluster.Cluster): Stores => ({
  ioredis: ofClient(async () => {
    const client = new IoCluster(nodes.map(placeOf), {
      enableOfflineQueue: false,
      redisOptions: strict,
      retryDelayOnClusterDown: 0,
      retryDelayOnFailover: 0,
      maxRedirections: 4
    })
    client.on("error", () => {})
    await new Promise((resolve) => client.once("ready", resolve))
    return { client: IoRedis.fromClient(client), close: () => client.disconnect() }
  }),
  "node-redis": ofClient(async () => {
    const client = createCluster({
      rootNodes: nodes.map((node) => ({ socket: placeOf(node) })),
      defaults: { disableOfflineQueue: true }
    })
    client.on("error", () => {})
    await client.connect()
    return { client: NodeRedis.fromClient(client), close: () => client.destroy() }
  })
})
