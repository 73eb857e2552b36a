import { performance } from "node:perf_hooks"
import { PostgresClient, PostgresStore } from "@effect-retry/redis"
import * as Postgres from "@effect-retry/servers/Postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as Database from "./Database.ts"

const limits = { burst: 30, perSecond: 20 }

describe("a server that crashes under load", () => {
  it.scopedLive("fills the bucket once more at most, and leaves no connection behind", () =>
    Effect.gen(function* () {
      const server = yield* Postgres.start()
      yield* PostgresStore.createTable(PostgresClient.fromPool(server.admin), { within: "1 minute" })
      const ends: Array<string> = []
      const client = Effect.map(Database.poolOf({ ...server, max: 2 }), (pool) => PostgresClient.fromPool(pool))
      const process = Effect.flatMap(PostgresStore.PostgresStore, (store) =>
        store.take("crash", limits, 1, 1).pipe(
          Effect.match({
            onFailure: ({ reason }) => reason,
            onSuccess: ({ granted }) => (granted > 0 ? "Granted" : "Refused")
          }),
          Effect.tap((end) => Effect.sync(() => ends.push(end))),
          Effect.delay("2 millis"),
          Effect.forever
        )
      )
      /** Waits for an end that comes from now on. */
      const next = (end: string) =>
        Effect.suspend(() => {
          const from = ends.length
          return Effect.repeat(Effect.sleep("2 millis"), { until: () => ends.includes(end, from) })
        })
      const fleet = yield* Scope.make()
      const startedAt = performance.now()
      yield* Effect.provide(process, PostgresStore.layer(client)).pipe(Effect.forkIn(fleet), Effect.replicateEffect(8))
      yield* next("Refused")
      yield* server.kill
      yield* next("Unavailable")
      yield* server.restart
      yield* next("Granted")
      yield* next("Refused")
      const seconds = (performance.now() - startedAt) / 1000
      const grants = ends.filter((end) => end === "Granted").length
      assert.isAtMost(grants, 2 * limits.burst + limits.perSecond * seconds)
      assert.isAbove(grants, limits.burst)
      assert.isEmpty(ends.filter((end) => !["Granted", "Refused", "Unavailable", "TimedOut"].includes(end)))
      yield* Scope.close(fleet, Exit.void)
      yield* Effect.repeat(
        Database.rows(
          server.admin,
          "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
        ),
        { until: ({ length }) => length <= 1 }
      )
    })
  )
})
