/**
 * Real stores for programs in virtual time: the server is asked in no time, and reads the time of the program.
 */
import { PostgresStore, RedisStore } from "@effect-retry/redis"
import * as RedisServer from "@effect-retry/servers/Redis"
import { Effect, Layer } from "effect"
import { Redis } from "ioredis"
import * as Blocking from "./Blocking.ts"
import * as Database from "./fund/Database.ts"

/** Calls take no virtual time, so none is late. */
export const within = "1 hour"

/** Starts a thread that asks the Redis of the process, and answers the layer of a store on the clock of its program. */
export const redis = Effect.gen(function* () {
  const server = yield* RedisServer.shared
  const admin = yield* Effect.acquireRelease(
    Effect.sync(() => new Redis(server.port, server.host)),
    (redis) => Effect.sync(() => redis.disconnect())
  )
  const clientOf = yield* Blocking.redis(admin, server)
  return Layer.effect(
    RedisStore.RedisStore,
    Effect.map(Effect.clock, (clock) => RedisStore.make(clientOf(clock), { within }))
  )
})

/** The same for the Postgres of the process, in a database of its own. */
export const postgres = Effect.gen(function* () {
  const { connection } = yield* Database.make
  const clientOf = yield* Blocking.postgres(connection)
  return Layer.effect(
    PostgresStore.PostgresStore,
    Effect.map(Effect.clock, (clock) => PostgresStore.make(clientOf(clock), { within }))
  )
})
