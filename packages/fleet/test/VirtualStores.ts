/**
 * Real stores for programs in virtual time: the server is asked in no time, and reads the time of the program.
 */
import type { Store } from "@effect-retry/fleet"
import type * as RedisError from "@effect-retry/fleet/RedisError"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as RedisServer from "@effect-retry/servers/Redis"
import { Effect, Layer, Option } from "effect"
import { Redis } from "ioredis"
import * as ScriptStore from "../src/fund/redis/ScriptStore.ts"
import * as Blocking from "./Blocking.ts"
import * as Database from "./fund/postgres/Database.ts"

/** Calls take no virtual time, so none is late. */
export const within = "1 hour"

/** Starts a thread that asks the Redis of the process. */
export const runScript = Effect.gen(function* () {
  const server = yield* RedisServer.shared
  const admin = yield* Effect.acquireRelease(
    Effect.sync(() => new Redis(server.port, server.host)),
    (redis) => Effect.sync(() => redis.disconnect())
  )
  return yield* Blocking.redis(admin, server)
})

/** Answers the layer of a store on the clock of its program. */
export const redis = Effect.map(runScript, (run) =>
  Layer.effect(
    RedisStore.RedisStore,
    Effect.map(Effect.clock, (clock) =>
      RedisStore.make(
        {
          evalsha: async (sha, key, args) => run(sha, key, args, Blocking.microsOf(clock)),
          eval: (lua) => Promise.reject(new Error(`not loaded: ${lua}`))
        },
        { within }
      )
    )
  )
)

/** A store without promises, for fibers that run when the test says so. Its answers are on their way for a while. */
export const synchronous = (
  run: Blocking.RunScript,
  network: { readonly millis: number }
): Store.Store<RedisError.RedisError> =>
  ScriptStore.make(
    ({ args, key, script }, read) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const answer = run(script.sha, key, args, Blocking.microsOf(clock))
          return Option.getOrThrow(read(answer))
        }).pipe(
          Effect.zipLeft(Effect.suspend(() => (network.millis === 0 ? Effect.void : Effect.sleep(network.millis))))
        )
      ),
    3_600_000
  )

/** The same as a layer for the Postgres of the process, in a database of its own. */
export const postgres = Effect.gen(function* () {
  const { connection } = yield* Database.make
  const clientOf = yield* Blocking.postgres(connection)
  return Layer.effect(
    PostgresStore.PostgresStore,
    Effect.map(Effect.clock, (clock) => PostgresStore.make(clientOf(clock), { within }))
  )
})
