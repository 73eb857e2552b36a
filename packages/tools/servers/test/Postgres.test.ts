import { existsSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Pool } from "pg"
import * as Postgres from "@effect-retry/servers/Postgres"
import * as Signal from "@effect-retry/servers/Signal"
import { until } from "@effect-retry/servers/Until"

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

  it.scoped("answers nothing while it is frozen, and goes on when it is thawed", () =>
    Effect.gen(function* () {
      const { admin, freeze, thaw } = yield* Postgres.start()
      yield* freeze
      let isAnswered = false
      const asking = yield* Effect.fork(Effect.tap(rows(admin, "select 1 as number"), () => void (isAnswered = true)))
      yield* Effect.promise(() => sleep(200))
      assert.strictEqual(isAnswered, false)
      yield* thaw
      assert.deepStrictEqual(yield* Fiber.join(asking), [{ number: 1 }])
      // The end of the scope ends a frozen server too.
      yield* freeze
    })
  )

  it.scoped("is thawed as well when one of its processes has ended meanwhile", () =>
    Effect.gen(function* () {
      const { admin, freeze, thaw } = yield* Postgres.start()
      const [row] = yield* rows(
        admin,
        "select pg_backend_pid() as pid, split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as main"
      )
      const pid = Number(row?.["pid"])
      yield* freeze
      assert.strictEqual(Signal.send(pid, "SIGKILL"), true)
      // Only the process that starts the others can take note of the end of one.
      Signal.send(Number(row?.["main"]), "SIGCONT")
      yield* until("the process is gone", async () => !Signal.send(pid, 0))
      yield* thaw
      yield* until("the server answers again", async () => (await admin.query("select")).rowCount === 1)
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
