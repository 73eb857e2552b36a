/** Stores by both clients, with the connection that a program has. */
import { Effect, Layer } from "effect"
import { Cluster as IoCluster, type RedisOptions } from "ioredis"
import { createCluster, createSentinel } from "redis"
import * as IoRedis from "../../src/fund/redis/IoRedis.ts"
import * as NodeRedis from "../../src/fund/redis/NodeRedis.ts"
import type { RedisClient } from "../../src/fund/redis/RedisClient.ts"
import * as RedisStore from "../../src/fund/redis/RedisStore.ts"

type Stores = Readonly<Record<"ioredis" | "node-redis", Layer.Layer<RedisStore.RedisStore>>>

/** Where a server listens. */
interface Address {
  readonly host: string
  readonly port: number
}

/** One server, or a proxy before it; the primary that sentinels name; or the nodes of a cluster. */
export type Place =
  | ({ readonly _tag: "Server" } & Address)
  | { readonly _tag: "Sentinel"; readonly name: string; readonly sentinels: ReadonlyArray<Address> }
  | { readonly _tag: "Cluster"; readonly nodes: ReadonlyArray<Address> }

/** Most time of a call of the store, in milliseconds. */
export const withinMillis = 250

/** Most time of a call of Postgres: a busy machine connects to it more slowly than to Redis. */
export const ofPostgresMillis = 1000

const addressOf = ({ host, port }: Address): Address => ({ host, port })

export const server = (server: Address): Place => ({ _tag: "Server", ...addressOf(server) })

export const sentinel = ({ name, sentinels }: Omit<Extract<Place, { _tag: "Sentinel" }>, "_tag">): Place => ({
  _tag: "Sentinel",
  name,
  sentinels: sentinels.map(addressOf)
})

export const cluster = ({ nodes }: Omit<Extract<Place, { _tag: "Cluster" }>, "_tag">): Place => ({
  _tag: "Cluster",
  nodes: nodes.map(addressOf)
})

/** The stores of a place. */
export const of = (place: Place, within = withinMillis): Stores => {
  switch (place._tag) {
    case "Server": {
      const address = addressOf(place)
      return {
        ioredis: IoRedis.layer({ ...address, within }),
        "node-redis": NodeRedis.layer({ socket: address, within })
      }
    }
    case "Sentinel":
      return ofSentinel(place, within)
    case "Cluster":
      return ofCluster(place, within)
  }
}

const ofClient = (
  within: number,
  open: () => Promise<{ readonly client: RedisClient; readonly close: () => unknown }>
) =>
  Layer.scoped(
    RedisStore.RedisStore,
    Effect.map(
      Effect.acquireRelease(Effect.promise(open), ({ close }) => Effect.sync(close)),
      ({ client }) => RedisStore.make(client, { within })
    )
  )

const ofSentinel = ({ name, sentinels }: Extract<Place, { _tag: "Sentinel" }>, within: number): Stores => ({
  ioredis: IoRedis.layer({ name, sentinels: [...sentinels], within }),
  "node-redis": ofClient(within, async () => {
    const client = createSentinel({
      name,
      sentinelRootNodes: [...sentinels],
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

const ofCluster = ({ nodes }: Extract<Place, { _tag: "Cluster" }>, within: number): Stores => ({
  ioredis: ofClient(within, async () => {
    const client = new IoCluster([...nodes], {
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
  "node-redis": ofClient(within, async () => {
    const client = createCluster({
      rootNodes: nodes.map((socket) => ({ socket })),
      defaults: { disableOfflineQueue: true }
    })
    client.on("error", () => {})
    await client.connect()
    return { client: NodeRedis.fromClient(client), close: () => client.destroy() }
  })
})
