/**
 * The histories of three clients on Redis and on Postgres, each client on a connection of its own.
 */
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as RedisServer from "@effect-retry/servers/Redis"
import { Effect } from "effect"
import { Redis } from "ioredis"
import * as Database from "./fund/postgres/Database.ts"
import * as Recorded from "./Recorded.ts"
import * as Scripted from "./Scripted.ts"

const clients = [0, 1, 2]

let keys = 0

const recordAll = <E>(programs: ReadonlyArray<Recorded.Program>, makeClient: (number: number) => Recorded.Client<E>) =>
  Effect.forEach(
    programs,
    (program) =>
      Effect.map(Recorded.record(makeClient, `recorded ${keys++}`, program), (history) => ({ history, program })),
    { concurrency: 100 }
  )

/** A connection that is closed with the scope. Commands of one turn of the event loop are written together. */
export const connect = Effect.flatMap(RedisServer.shared, ({ host, port }) =>
  Effect.acquireRelease(
    Effect.sync(() => new Redis({ host, port, enableAutoPipelining: true })),
    (redis) => Effect.sync(() => redis.disconnect())
  )
)

const lost = () => new Error("the connection was lost")

/** On Redis, with the clock of the server. */
export const onRedis = (programs: ReadonlyArray<Recorded.Program>) =>
  Effect.gen(function* () {
    const revealing = yield* Effect.forEach(clients, () =>
      Effect.flatMap(connect, (redis) => Effect.promise(() => Scripted.revealingTime(redis)))
    )
    const makeClient = (number: number) => {
      let latest: Recorded.Sent | undefined
      const client = revealing[number]?.((micros) => {
        if (latest === undefined) return
        latest.atMicros = micros
        if (latest.isLost) throw lost()
      })
      if (client === undefined) throw new RangeError(`there is no client ${number}`)
      const sends = (sent: Recorded.Sent) => {
        latest = sent
      }
      return { sends, store: RedisStore.make(client, { within: "1 minute" }) }
    }
    return yield* recordAll(programs, makeClient)
  }).pipe(Effect.scoped)

/** On Postgres, with a time that the test gives to each statement: a statement reads its clock more than once. */
export const onPostgres = (programs: ReadonlyArray<Recorded.Program>) =>
  Effect.gen(function* () {
    const { connection } = yield* Database.make
    const pools = yield* Effect.forEach(clients, () => Database.poolOf({ ...connection, max: 1 }))
    let nowMicros = 1_000_000_000
    const makeClient = (number: number) => {
      const pool = pools[number]
      if (pool === undefined) throw new RangeError(`there is no client ${number}`)
      const time = { micros: 0 }
      let latest: Recorded.Sent | undefined
      const { query } = Database.clientAt(pool, time)
      const losing: PostgresClient.PostgresClient = {
        query: (text, values) => Effect.filterOrFail(query(text, values), () => latest?.isLost !== true, lost)
      }
      const sends = (sent: Recorded.Sent) => {
        latest = sent
        nowMicros += 300
        time.micros = nowMicros
        sent.atMicros = nowMicros
      }
      return { sends, store: PostgresStore.make(losing, { within: "1 minute" }) }
    }
    return yield* recordAll(programs, makeClient)
  }).pipe(Effect.scoped)
