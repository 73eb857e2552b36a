/**
 * A process of a fleet that asks a bucket as it is told, and writes a line for every grant: its time, by the monotonic clock
 * that all processes of a machine share, and its tokens. A line is written before the process does anything else. Its log
 * goes to stderr.
 */
import { writeSync } from "node:fs"
import type * as TokenBucket from "@effect-retry/core/TokenBucket"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import { Pool } from "pg"
import { request } from "../../../core/test/fund/Asking.ts"
import * as BucketKey from "../../src/accept/BucketKey.ts"
import * as PostgresBucket from "../../src/fund/postgres/PostgresBucket.ts"
import * as PostgresClient from "../../src/fund/postgres/PostgresClient.ts"
import * as PostgresStore from "../../src/fund/postgres/PostgresStore.ts"
import * as RedisBucket from "../../src/fund/redis/RedisBucket.ts"
import { RedisStore } from "../../src/fund/redis/RedisStore.ts"
import type { Store } from "../../src/fund/store/Store.ts"
import { type Order, type Postgres, ready, type Task } from "./Order.ts"
import * as Stores from "./Stores.ts"

const pauseMillis = 5

const write = (line: string) => Effect.sync(() => void writeSync(1, `${line}\n`))

const nowMillis = () => Number(process.hrtime.bigint()) / 1e6

const ask = (bucket: TokenBucket.TokenBucket<unknown>, { isWhole, times }: Order) => {
  const asked = request({ kind: isWhole ? "Server" : "Transient" })
  const acquire = Effect.flatMap(Effect.option(Effect.uninterruptible(bucket.acquire(asked))), (answer) =>
    Option.match(Option.flatten(answer), {
      onNone: () => Effect.void,
      onSome: ({ tokens }) => write(`${nowMillis()} ${tokens}`)
    })
  )
  return Effect.repeatN(Effect.zipRight(acquire, Effect.sleep(pauseMillis)), times - 1)
}

const orders = (bucket: TokenBucket.TokenBucket<unknown>) =>
  Effect.flatMap(Effect.runtime<never>(), (runtime) =>
    Effect.async<never>(() => {
      process.on("message", (order: Order) => {
        for (let asker = 0; asker < order.askers; asker++) Runtime.runFork(runtime, ask(bucket, order))
      })
    })
  )

const { leaseShare, limits, name, place, withinMillis } = JSON.parse(process.argv[2] ?? "") as Task

const quota = {
  name,
  capacity: limits.burst,
  refillPerSecond: limits.perSecond,
  leaseShare,
  cost: { Server: limits.burst, orElse: 1 }
}

const run = <E, R>(store: Store<unknown>, make: Effect.Effect<TokenBucket.TokenBucket<E>, never, R>) =>
  Effect.gen(function* () {
    const level = Effect.tapError(store.level(BucketKey.make(name), limits), () => Effect.sleep(pauseMillis))
    yield* Effect.eventually(level)
    const bucket = yield* make
    yield* write(ready)
    return yield* orders(bucket)
  })

const onRedis = (place: Stores.Place) =>
  Effect.flatMap(RedisStore, (store) => run(store, RedisBucket.quota(quota))).pipe(
    Effect.scoped,
    Effect.provide(Stores.of(place, withinMillis).ioredis)
  )

const onPostgres = ({ _tag, ...connection }: Postgres) => {
  const pool = new Pool({ ...connection, max: 2 }).on("error", () => {})
  const store = PostgresStore.layer(PostgresClient.fromPool(pool), { within: withinMillis })
  return Effect.flatMap(PostgresStore.PostgresStore, (store) => run(store, PostgresBucket.quota(quota))).pipe(
    Effect.scoped,
    Effect.provide(store)
  )
}

const logger = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.stringLogger))

await Effect.runPromise(Effect.provide(place._tag === "Postgres" ? onPostgres(place) : onRedis(place), logger))
