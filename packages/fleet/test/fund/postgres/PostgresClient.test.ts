import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope, TestClock } from "effect"
import * as Database from "./Database.ts"

const scope = Effect.runSync(Scope.make())
let database: Database.Database

beforeAll(async () => {
  database = await Effect.runPromise(Scope.extend(Database.make, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const limits = { burst: 10, perSecond: 0.001 }

/** Where the database is, as `@effect/sql` asks for it. */
const place = () => {
  const { database: name, host, port, user } = database.connection
  return { database: name, host, port, username: user }
}

const sqlClient = Layer.unwrapEffect(
  Effect.sync(() => PgClient.layer({ ...place(), transformResultNames: (name) => `${name}_renamed` }))
)

describe("PostgresClient.fromPool", () => {
  it.scoped("keeps a connection whose statement the server refused", () =>
    Effect.gen(function* () {
      const pool = yield* Database.poolOf({ ...database.connection, max: 1 })
      const { query } = PostgresClient.fromPool(pool)
      const before = yield* query("select pg_backend_pid() as pid", [])
      yield* Effect.flip(query("select * from missing", []))
      assert.deepStrictEqual(yield* query("select pg_backend_pid() as pid", []), before)
    })
  )

  it.scoped("takes a new connection after one that was lost, without an event of the pool", () =>
    Effect.gen(function* () {
      const pool = yield* Database.poolOf({ ...database.connection, max: 1 })
      const { query } = PostgresClient.fromPool(pool)
      const events: Array<Error> = []
      pool.on("error", (error) => void events.push(error))
      const error = yield* Effect.flip(query("select pg_terminate_backend(pg_backend_pid())", []))
      assert.propertyVal(error, "code", "57P01")
      assert.deepStrictEqual(yield* query("select 1 as one", []), [{ one: 1 }])
      assert.isEmpty(events)
    })
  )

  it.scoped("plans a statement once for each connection if it prepares it", () =>
    Effect.gen(function* () {
      const pool = yield* Database.poolOf({ ...database.connection, max: 1 })
      const prepared = "select count(*)::int as count from pg_prepared_statements where statement like 'select $1%'"
      for (const [prepare, count] of [
        [false, 0],
        [true, 1]
      ] as const) {
        const { query } = PostgresClient.fromPool(pool, { prepare })
        for (const number of [1, 2]) yield* query("select $1::int as number", [number])
        assert.deepStrictEqual(yield* Database.rows(pool, prepared), [{ count }])
      }
    })
  )
})

describe("PostgresClient.fromSql", () => {
  it.scoped("asks outside the transaction of the caller, and reads columns as they are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = PostgresStore.make(PostgresClient.fromSql(sql))
      yield* Effect.flip(
        sql.withTransaction(Effect.zipRight(store.take("sql", limits, 4, 4), Effect.fail("rolled back")))
      )
      assert.closeTo(yield* store.level("sql", limits), 6, 0.5)
    }).pipe(Effect.provide(sqlClient))
  )

  it.scoped("times out while the pool has no connection", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.make({ ...place(), maxConnections: 1 })
      const store = PostgresStore.make(PostgresClient.fromSql(sql))
      yield* sql.reserve
      const taking = yield* Effect.fork(Effect.flip(store.take("busy", limits, 1, 1)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(taking)).reason, "TimedOut")
    }).pipe(Effect.provide(Reactivity.layer))
  )

  it.scoped("reads the errors of the server", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe("drop table effect_retry")
      const store = yield* PostgresStore.PostgresStore
      const { code, reason } = yield* Effect.flip(store.level("sql", limits))
      assert.deepStrictEqual({ code, reason }, { code: "42P01", reason: "WrongType" })
    }).pipe(
      Effect.provide(PostgresStore.layer(Effect.map(SqlClient.SqlClient, PostgresClient.fromSql))),
      Effect.provide(sqlClient)
    )
  )
})
