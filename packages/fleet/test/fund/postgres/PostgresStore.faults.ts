import { performance } from "node:perf_hooks"
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as Postgres from "@effect-retry/servers/Postgres"
import * as Proxy from "@effect-retry/servers/Proxy"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { PoolConfig } from "pg"
import * as Askers from "../../faults/Askers.ts"
import * as Stalls from "../../faults/Stalls.ts"
import * as Stores from "../../faults/Stores.ts"
import type * as Windows from "../../faults/Windows.ts"
import * as Database from "./Database.ts"

const limits = { burst: 30, perSecond: 20 }

const withinMillis = Stores.ofPostgresMillis

/** What a busy machine adds to a bound. */
const marginMillis = 3000

/** Waits for an operation that ends so, from now on. */
type Next = (end: string) => Effect.Effect<void>

const processes = 8

/**
 * Eight operations at a time on one bucket, until it is empty, through a fault, and until it is empty again. No operation takes
 * longer than its bound, no more is granted than the rate, the burst and the losses allow, over the whole time and over all
 * windows, and no connection is left.
 */
const during = (
  name: string,
  server: Postgres.Server,
  connection: PoolConfig,
  losses: number,
  fault: (next: Next) => Effect.Effect<unknown, unknown, Scope.Scope>
) =>
  Effect.gen(function* () {
    const ends: Array<string> = []
    const stamps: Array<Windows.Stamp> = []
    const stalls = yield* Stalls.watch
    let longestMillis = 0
    const client = Effect.map(Database.poolOf({ ...connection, max: 2 }), (pool) => PostgresClient.fromPool(pool))
    const operation = (store: PostgresStore.PostgresStore["Type"]) =>
      Effect.gen(function* () {
        const startedAt = performance.now()
        const end = yield* Effect.match(store.take("faults", limits, 1, 1), {
          onFailure: ({ reason }): string => reason,
          onSuccess: ({ granted }) => (granted > 0 ? "Granted" : "Refused")
        })
        const endedAt = performance.now()
        longestMillis = Math.max(longestMillis, stalls.without(startedAt, endedAt))
        if (end === "Granted") stamps.push({ atMillis: endedAt, tokens: 1 })
        ends.push(end)
        yield* Effect.sleep("2 millis")
      })
    const process = Effect.flatMap(PostgresStore.PostgresStore, (store) => Effect.forever(operation(store)))
    const until = (isTrue: () => boolean) => Effect.asVoid(Effect.repeat(Effect.sleep("2 millis"), { until: isTrue }))
    const next: Next = (end) =>
      Effect.suspend(() => {
        const from = ends.length
        return until(() => ends.includes(end, from))
      })
    const fleet = yield* Scope.make()
    const startedAt = performance.now()
    const store = PostgresStore.layer(client, { within: withinMillis })
    yield* Effect.provide(process, store).pipe(Effect.forkIn(fleet), Effect.replicateEffect(processes))
    yield* next("Refused")
    yield* fault(next)
    const overAt = performance.now()
    yield* next("Granted")
    const backMillis = performance.now() - overAt
    yield* next("Refused")
    // Grants whose answers were lost are not among these, so the first burst and one refill may be too few.
    yield* until(() => stamps.length > limits.burst)
    const seconds = (performance.now() - startedAt) / 1000
    const grants = stamps.length
    const mostGrants = (1 + losses) * limits.burst + limits.perSecond * seconds
    const times = [longestMillis, backMillis].map((millis) => `${Math.round(millis)} ms`).join(" | ")
    console.info(`| Postgres: ${name} | ${times} | ${grants} of ${Math.floor(mostGrants)} |`)
    assert.isAtMost(grants, mostGrants)
    const more = losses * limits.burst
    Askers.assertBound(`${name}, Postgres`, stamps, { limits, leaseShare: 0, withinMillis, processes, more })
    assert.isBelow(longestMillis, withinMillis + marginMillis)
    assert.isEmpty(ends.filter((end) => !["Granted", "Refused", "Unavailable", "TimedOut"].includes(end)))
    yield* Scope.close(fleet, Exit.void)
    const clients = "select from pg_stat_activity where backend_type = 'client backend' and datname = $1"
    yield* Effect.repeat(Database.rows(server.admin, clients, [connection.database]), {
      // The connection that made the table.
      until: ({ length }) => length <= 1
    })
  })

/** A proxy before a database of its own. */
const behindProxy = (name: string, fault: (proxy: Proxy.Proxy, next: Next) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const server = yield* Postgres.shared
    const { connection } = yield* Database.make
    const proxy = yield* Proxy.start(server)
    const { host, port } = proxy
    yield* during(name, server, { ...connection, host, port }, 0, (next) => fault(proxy, next))
  })

describe("a server under load that crashes", () => {
  it.scopedLive("fills the bucket once more at most, and leaves no connection behind", () =>
    Effect.gen(function* () {
      const server = yield* Postgres.start()
      yield* PostgresStore.createTable(PostgresClient.fromPool(server.admin), { within: "1 minute" })
      const { database, host, port, user } = server
      yield* during("kill -9", server, { database, host, port, user }, 1, (next) =>
        Effect.gen(function* () {
          yield* server.kill
          yield* next("Unavailable")
          yield* server.restart
        })
      )
    })
  )
})

describe("a server under load that is frozen", () => {
  it.scopedLive("is waited for within the bound, and asked again", () =>
    Effect.gen(function* () {
      const server = yield* Postgres.start()
      yield* PostgresStore.createTable(PostgresClient.fromPool(server.admin), { within: "1 minute" })
      const { database, host, port, user } = server
      yield* during("SIGSTOP", server, { database, host, port, user }, 0, (next) =>
        Effect.gen(function* () {
          yield* server.freeze
          yield* Effect.ensuring(Effect.zipRight(next("TimedOut"), next("TimedOut")), server.thaw)
        })
      )
    })
  )
})

describe("a network between a process and its server", () => {
  it.scopedLive("that loses everything is not waited for, and the server is asked again when it is back", () =>
    behindProxy("partition", (proxy, next) =>
      Effect.gen(function* () {
        yield* proxy.swallow
        yield* Effect.zipRight(next("TimedOut"), next("TimedOut"))
        yield* proxy.forward
      })
    )
  )

  it.scopedLive("that is slow is waited for within the bound", () =>
    behindProxy("slow", (proxy, next) =>
      Effect.gen(function* () {
        yield* proxy.delay(10)
        yield* next("Granted")
        yield* proxy.delay(2 * withinMillis)
        yield* next("TimedOut")
        yield* proxy.forward
      })
    )
  )
})
