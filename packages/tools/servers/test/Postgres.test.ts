import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Pool } from "pg"
import * as Postgres from "@effect-retry/servers/Postgres"

const rows = (pool: Pool, text: string) =>
  Effect.promise(async () => (await pool.query<Record<string, unknown>>(text)).rows)

describe("Postgres.start", () => {
  it.effect("keeps logged tables over a restart, empties those that are unlogged, and is gone with the scope", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.scoped(
        Effect.gen(function* () {
          const { admin, restart } = yield* Postgres.start({ config: { max_connections: "7" } })
          yield* rows(admin, "create table logged as select 1 as number")
          yield* rows(admin, "create unlogged table unlogged as select 1 as number")
          yield* restart
          assert.deepStrictEqual(yield* rows(admin, "select * from logged"), [{ number: 1 }])
          assert.deepStrictEqual(yield* rows(admin, "select * from unlogged"), [])
          const [row] = yield* rows(
            admin,
            "select current_setting('data_directory') as directory, current_setting('max_connections') as most"
          )
          assert.strictEqual(row?.["most"], "7")
          assert.strictEqual(existsSync(`${row?.["directory"]}`), true)
          return `${row?.["directory"]}`
        })
      )
      assert.strictEqual(existsSync(directory), false)
    })
  )

  it.scoped("shows the last words of a server that does not start", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(Postgres.start({ config: { no_such_setting: "1" } }))
      assert.match(message, /^postgres does not start: .*no_such_setting.*$/)
    })
  )
})

describe("Postgres.shared", () => {
  it.effect("is the same server for all, with databases of their own", () =>
    Effect.gen(function* () {
      const server = yield* Postgres.shared
      assert.strictEqual(yield* Postgres.shared, server)
      const names = [(yield* server.createDatabase).database, (yield* server.createDatabase).database]
      assert.strictEqual(new Set(names).size, names.length)
    })
  )
})
