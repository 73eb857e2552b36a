import type * as RedisClient from "@effect-retry/fleet/RedisClient"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as NodeRedis from "@effect-retry/fleet/NodeRedis"
import * as Redis from "@effect-retry/servers/Redis"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { type Cluster, Redis as Connected } from "ioredis"
import { createClient, type createCluster, type createSentinel } from "redis"

/** What programs have. That the compiler takes them is the test. */
export const byIoRedis = (cluster: Cluster): RedisClient.RedisClient => IoRedis.fromClient(cluster)
export const byNodeRedis = (
  connection: ReturnType<typeof createCluster> | ReturnType<typeof createSentinel>
): RedisClient.RedisClient => NodeRedis.fromClient(connection)

const limits = { burst: 5, perSecond: 1 / 3600 }

interface Own {
  readonly client: RedisClient.RedisClient
  readonly state: () => unknown
  readonly isUsable: () => Promise<boolean>
  readonly close: () => void
}

const ioRedis = async (port: number): Promise<Own> => {
  const redis = new Connected({ port, keyPrefix: "tenant:", stringNumbers: true, lazyConnect: true })
  await redis.connect()
  const options = { ...redis.options }
  return {
    client: IoRedis.fromClient(redis),
    state: () => [redis.eventNames().toString(), redis.listenerCount("error"), { ...redis.options, ...options }],
    isUsable: async () => (await redis.ping()) === "PONG",
    close: () => redis.disconnect()
  }
}

const nodeRedis = async (port: number): Promise<Own> => {
  const client = createClient({ socket: { port }, keyPrefix: "tenant:" })
  client.on("error", () => {})
  await client.connect()
  return {
    client: NodeRedis.fromClient(client),
    state: () => [client.eventNames().toString(), client.listenerCount("error"), client.options],
    isUsable: async () => (await client.ping()) === "PONG",
    close: () => client.destroy()
  }
}

describe.each([
  { library: "ioredis", own: ioRedis },
  { library: "node-redis", own: nodeRedis }
])("a connection of the caller by $library", ({ library, own }) => {
  it.scopedLive("is used as it is, and stays open", () =>
    Effect.gen(function* () {
      const { admin, port } = yield* Redis.shared
      const { client, close, isUsable, state } = yield* Effect.promise(() => own(port))
      yield* Effect.addFinalizer(() => Effect.sync(close))
      const before = state()
      const scope = yield* Scope.make()
      const key = `FromClient:${library}`
      const store = Context.get(
        // A bound that is longer than a machine stalls.
        yield* Scope.extend(Layer.build(RedisStore.layer(client, { within: "1 minute" })), scope),
        RedisStore.RedisStore
      )
      const taken = yield* store.take(key, limits, 2, 1)
      yield* Scope.close(scope, Exit.void)
      expect(taken.granted).toBe(2)
      expect(yield* Effect.promise(() => admin.exists(`tenant:effect-retry:{${key}}:18000000000`))).toBe(1)
      expect(yield* Effect.promise(isUsable)).toBe(true)
      expect(state()).toEqual(before)
    })
  )
})
