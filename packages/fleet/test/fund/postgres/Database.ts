/** A database of its own for a test file, on the one server of the process. */
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as Postgres from "@effect-retry/servers/Postgres"
import { Effect } from "effect"
import { Pool, type PoolConfig } from "pg"

/** A pool that is ended with the scope. */
export const poolOf = (config: PoolConfig) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new Pool(config)
      pool.on("error", () => {})
      return pool
    }),
    (pool) => Effect.promise(() => pool.end())
  )

/** An empty database with the table. */
export const make = Effect.gen(function* () {
  const { createDatabase } = yield* Postgres.shared
  const connection = yield* createDatabase
  const pool = yield* poolOf(connection)
  yield* PostgresStore.createTable(PostgresClient.fromPool(pool), { within: "1 minute" })
  return { connection, pool }
})

/** A database of tests. */
export type Database = Effect.Effect.Success<typeof make>

/** The rows of a statement. */
export const rows = (pool: Pool, text: string, values: Array<unknown> = []) =>
  Effect.promise(async () => (await pool.query<Record<string, unknown>>(text, values)).rows)

/** What a statement reads in place of the time of the server. */
export const timeOf = (micros: string) => `(timestamptz 'epoch' + ${micros} * interval '1 microsecond')`

/** The time that statements read, in microseconds, in place of that of the server. */
export interface Time {
  micros: number
}

/** A client for which the clock of the server stands still at a time of the test. */
export const clientAt = (pool: Pool, time: Time): PostgresClient.PostgresClient => {
  const { query } = PostgresClient.fromPool(pool, { prepare: true })
  return {
    query: (text, values) =>
      query(text.replaceAll("clock_timestamp()", timeOf(`$${values.length + 1}::bigint`)), [...values, time.micros])
  }
}

interface Statement {
  text?: string
  resume?: (rows: Effect.Effect<ReadonlyArray<object>>) => void
}

/**
 * Clients for one statement each, at a time of its own. All are run in one round trip, in the order in which the clients
 * were made.
 */
export const batch = (pool: Pool) => {
  const statements: Array<Statement> = []
  const literal = (value: string | number) => (typeof value === "number" ? `${value}` : `'${value}'`)
  const isFull = Effect.sync(() => statements.every(({ text }) => text !== undefined))
  return {
    at: (micros: number): PostgresClient.PostgresClient => {
      const statement: Statement = {}
      statements.push(statement)
      return {
        query: (text, values) =>
          Effect.async((resume) => {
            const valued = text.replaceAll(/\$(\d)/g, (_, number) => literal(values[Number(number) - 1] ?? ""))
            statement.text = valued.replaceAll("clock_timestamp()", timeOf(`${micros}`))
            statement.resume = resume
          })
      }
    },
    run: Effect.zipRight(
      Effect.repeat(Effect.zipRight(Effect.yieldNow(), isFull), { until: (full) => full }),
      Effect.promise(async () => {
        const results: unknown = await pool.query(statements.map(({ text }) => text).join(";\n"))
        const list = results as ReadonlyArray<{ readonly rows: ReadonlyArray<object> }>
        for (const [index, { resume }] of statements.entries()) resume?.(Effect.succeed(list[index]?.rows ?? []))
      })
    )
  }
}
