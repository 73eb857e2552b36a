import * as Postgres from "@effect-retry/servers/Postgres"
import * as SlowClock from "@effect-retry/servers/SlowClock"
// #region layer
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import { Effect, Layer } from "effect"
import { Pool, type PoolConfig } from "pg"

const pool = (config: PoolConfig) =>
  Effect.acquireRelease(
    Effect.sync(() => new Pool({ max: 3, connectionTimeoutMillis: 5000, ...config }).on("error", () => {})),
    (pool) => Effect.promise(() => pool.end())
  )

const store = (config: PoolConfig) => PostgresStore.layer(Effect.map(pool(config), PostgresClient.fromPool))

const budget = PostgresBucket.quota({ name: "orders", capacity: 6, refillPerSecond: 0.001, cost: { orElse: 1 } })

const orders = Layer.scoped(
  TokenBucket.RetryBucket,
  Effect.map(budget, TokenBucket.failClosed({ within: "10 seconds" }))
)
// #endregion

/** A process of the fleet makes the layers for itself, and ends with them. */
const processWith = (config: PoolConfig, maxAttempts: number) =>
  Effect.suspend(() => {
    let attempts = 0
    return Retry.retry(
      Effect.suspend(() => Effect.fail(`attempt ${++attempts}`)),
      {
        classifier: Classifier.always,
        maxAttempts,
        backoff: Backoff.constant({ delay: "1 millis" }),
        bucket: TokenBucket.RetryBucket
      }
    ).pipe(Effect.flip, Effect.provide(orders.pipe(Layer.provide(store(config)))))
  })

// #region table
/** Run once, when the program migrates its database. */
const migrate = (config: PoolConfig) =>
  Effect.scoped(Effect.flatMap(pool(config), (pool) => PostgresStore.createTable(PostgresClient.fromPool(pool))))
// #endregion

export const live = true

export const program = Effect.gen(function* () {
  const server = yield* Postgres.shared
  const database = yield* server.createDatabase
  yield* migrate(database)
  return yield* Effect.all([processWith(database, 5), processWith(database, 99)])
}).pipe(SlowClock.run)

/** The second process finds what the first one has left of the six tokens. */
// #region expected
export const expected = ["attempt 5", "attempt 3"]
// #endregion
