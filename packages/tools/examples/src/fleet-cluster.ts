// #region cluster
import { TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import { Effect, Layer } from "effect"
import { Cluster } from "ioredis"

interface Node {
  readonly host: string
  readonly port: number
}

/** A connection of the program: it queues no command while it has no server, and sends none a second time. */
const connect = async (nodes: ReadonlyArray<Node>) => {
  const cluster = new Cluster([...nodes], {
    lazyConnect: true,
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: { maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false }
  })
  await cluster.connect()
  return cluster
}

const orders = (cluster: Cluster) =>
  Layer.scoped(
    TokenBucket.RetryBucket,
    RedisBucket.quota({ name: "orders", capacity: 70, refillPerSecond: 1 }).pipe(
      Effect.map(TokenBucket.failClosed({ within: "1 second" }))
    )
  ).pipe(Layer.provide(RedisStore.layer(IoRedis.fromClient(cluster))))
// #endregion

import { Backoff, Classifier, Retry } from "@effect-retry/core"
import * as Redis from "@effect-retry/servers/Redis"
import * as SlowClock from "@effect-retry/servers/SlowClock"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 10,
  backoff: Backoff.constant({ delay: "10 millis" }),
  bucket: TokenBucket.RetryBucket
}

/** A cluster of one master, which has all slots. A master waits two seconds before it writes. */
const master = Effect.gen(function* () {
  const { admin, host, port } = yield* Redis.start({
    config: { "cluster-enabled": "yes", "cluster-announce-ip": "127.0.0.1" }
  })
  yield* Effect.promise(() => admin.call("CLUSTER", "ADDSLOTSRANGE", 0, 16_383))
  const isReady = Effect.map(
    Effect.promise(() => admin.call("CLUSTER", "INFO")),
    (info) => String(info).includes("cluster_state:ok")
  )
  yield* Effect.repeat(Effect.delay(isReady, "10 millis"), { until: (ready) => ready })
  return { host, port }
})

export const program = Effect.gen(function* () {
  const node = yield* master
  const cluster = yield* Effect.acquireRelease(
    Effect.promise(() => connect([node])),
    (cluster) => Effect.sync(() => cluster.disconnect())
  )
  const stopped = Effect.flip(Retry.orStopped(Effect.fail("down"), policy))
  const { attempts, reason } = yield* Effect.provide(stopped, orders(cluster))
  return [attempts, reason._tag]
}).pipe(Effect.scoped, SlowClock.run)

export const live = true

/** Five retries of 14 tokens each. */
export const expected = [6, "BucketEmpty"]
