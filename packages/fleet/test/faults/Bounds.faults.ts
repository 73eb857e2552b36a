import * as Proxy from "@effect-retry/servers/Proxy"
import * as Postgres from "@effect-retry/servers/Postgres"
import * as Redis from "@effect-retry/servers/Redis"
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Database from "../fund/postgres/Database.ts"
import * as BucketKey from "../../src/accept/BucketKey.ts"
import { RedisStore } from "../../src/fund/redis/RedisStore.ts"
import type { Store } from "../../src/fund/store/Store.ts"
import * as Askers from "./Askers.ts"
import type { Task } from "./Order.ts"
import * as Stores from "./Stores.ts"

const limits = { burst: 100, perSecond: 50 }

const pause = (millis: number) => Effect.promise(() => sleep(millis))

/** A store, as a process reaches it: perhaps through a proxy. */
interface Target {
  readonly server: { readonly host: string; readonly port: number }
  readonly place: (server: { readonly host: string; readonly port: number }) => Task["place"]
  /** Asked directly. */
  readonly store: Store<unknown>
}

const redis = Effect.gen(function* () {
  const { host, port } = yield* Redis.shared
  const place = (server: Target["server"]) => ({ _tag: "Server", ...server }) as const
  const store = yield* Layer.build(Stores.of(place({ host, port })).ioredis)
  const target: Target = { server: { host, port }, place, store: Context.get(store, RedisStore) }
  return target
})

const postgres = Effect.gen(function* () {
  const { host, port } = yield* Postgres.shared
  const { connection, pool } = yield* Database.make
  const { database, user } = connection
  const place = (server: Target["server"]) => ({ _tag: "Postgres", ...server, database, user }) as const
  const target: Target = { server: { host, port }, place, store: PostgresStore.make(PostgresClient.fromPool(pool)) }
  return target
})

const scope = Effect.runSync(Scope.make())
let program: string

beforeAll(async () => {
  program = await Effect.runPromise(Scope.extend(Askers.program, scope))
})

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const load = { askers: 4, times: 1_000_000, isWhole: false }
const loadMillis = 1000

/** Three processes that ask all the time, before a fault, in it and behind it, and the bound over all windows. */
const underLoad = (
  fault: string,
  places: ReadonlyArray<Task["place"]>,
  act: Effect.Effect<unknown, unknown, Scope.Scope>,
  { more = 0, withinMillis = Stores.withinMillis }: { readonly more?: number; readonly withinMillis?: number } = {}
) =>
  Effect.gen(function* () {
    const leaseShare = 0.1
    const askers = yield* Askers.start(
      program,
      places.map((place) => ({ place, name: fault, limits, leaseShare, withinMillis }))
    )
    yield* Effect.forEach(askers, ({ ask }) => ask(load))
    yield* Effect.forEach(askers, ({ granted }) => granted, { concurrency: "unbounded" })
    yield* pause(loadMillis)
    yield* act
    yield* Effect.forEach(askers, ({ granted }) => granted, { concurrency: "unbounded" })
    yield* pause(loadMillis)
    const stamps = askers.flatMap(({ stamps }) => stamps)
    Askers.assertBound(fault, stamps, { limits, leaseShare, withinMillis, more, processes: askers.length })
  })

const three = <A>(one: A): ReadonlyArray<A> => [one, one, one]

const targets: ReadonlyArray<{
  readonly name: string
  readonly target: Effect.Effect<Target, unknown, Scope.Scope>
  /** Most time of a call of the store. */
  readonly withinMillis: number
}> = [
  { name: "Redis", target: redis, withinMillis: Stores.withinMillis },
  { name: "Postgres", target: postgres, withinMillis: Stores.ofPostgresMillis }
]

describe.each(targets)("a fleet on $name keeps its bound over all windows", ({ name, target, withinMillis }) => {
  it.scopedLive("under steady load", () =>
    Effect.flatMap(target, ({ place, server }) =>
      underLoad(`steady load, ${name}`, three(place(server)), Effect.void, { withinMillis })
    )
  )

  it.scopedLive("when answers come late, and some too late", () =>
    Effect.gen(function* () {
      const { place, server } = yield* target
      const proxy = yield* Proxy.start(server)
      const late = Effect.gen(function* () {
        for (const part of [0.4, 0.48, 0.6, 0.48]) {
          yield* proxy.delay(part * withinMillis)
          yield* pause(2 * withinMillis)
        }
        yield* proxy.forward
      })
      yield* underLoad(`late replies, ${name}`, three(place(proxy)), late, { withinMillis })
    })
  )

  it.scopedLive("when a process is stopped while the whole burst is on its way to it", () =>
    Effect.gen(function* () {
      const { place, server, store } = yield* target
      const proxy = yield* Proxy.start(server)
      // The rate brings less in the bound of a call than the burst: a burst that is spent late shows.
      const task = {
        name: `stopped client, ${name}`,
        limits: { burst: 100, perSecond: 25 },
        leaseShare: 0,
        withinMillis: 2000
      }
      const [stopped, other] = (yield* Askers.start(program, [
        { ...task, place: place(proxy) },
        { ...task, place: place(server) }
      ])) as [Askers.Asker, Askers.Asker]
      const whole = { askers: 1, times: 1, isWhole: true }
      // A busy machine answers late at times: then the level is asked for again.
      const level = Effect.eventually(store.level(BucketKey.make(task.name), task.limits))
      const until = (isSo: (level: number) => boolean): Effect.Effect<void> =>
        Effect.flatMap(level, (now) => (isSo(now) ? Effect.void : Effect.zipRight(pause(5), until(isSo))))
      // The server has the scripts from then on.
      yield* stopped.ask({ ...whole, isWhole: false })
      yield* stopped.granted
      yield* until((level) => level === task.limits.burst)
      yield* proxy.delay(1500)
      yield* stopped.ask(whole)
      // The server has decided, and its answer is on its way.
      yield* until((level) => level < task.limits.burst / 2)
      yield* stopped.stop
      assert.lengthOf(stopped.stamps, 1)
      yield* until((level) => level === task.limits.burst)
      yield* other.ask(whole)
      yield* other.granted
      yield* proxy.forward
      yield* stopped.goOn
      yield* stopped.ask(load)
      yield* stopped.granted
      const stamps = [stopped, other].flatMap(({ stamps }) => stamps)
      Askers.assertBound(task.name, stamps, { ...task, processes: 2 })
    })
  )
})

describe("a fleet keeps its bound over all windows while a server of Redis", () => {
  const withServer = (
    fault: string,
    act: (server: Redis.Server) => Effect.Effect<unknown, unknown, Scope.Scope>,
    more: number,
    options: Redis.Options = {}
  ) =>
    Effect.flatMap(Redis.start(options), (server) => {
      const { host, port } = server
      return underLoad(fault, three({ _tag: "Server", host, port } as const), act(server), { more })
    })

  it.scopedLive("is frozen and goes on", () =>
    withServer(
      "frozen",
      ({ freeze, thaw }) => Effect.zipRight(freeze, Effect.zipRight(pause(6 * Stores.withinMillis), thaw)),
      0
    )
  )

  it.scopedLive("is killed and started again without its data", () =>
    withServer("killed", ({ kill, restart }) => Effect.zipRight(kill, restart), limits.burst)
  )

  it.scopedLive("is flushed", () =>
    withServer("flushed", ({ admin }) => Effect.promise(() => admin.flushall()), limits.burst)
  )

  it.scopedLive("evicts the bucket", () =>
    withServer(
      "evicted",
      ({ admin }) =>
        Effect.promise(async () => {
          await admin.config("SET", "maxmemory", "3mb")
          const evicted = async () => Number((await admin.info("stats")).match(/evicted_keys:(\d+)/)?.[1] ?? 0)
          // Where the bucket was all that could be evicted, the server has no memory for the others.
          for (let other = 0; (await evicted()) === 0; other++) {
            await admin.set(`${other}`, "x".repeat(10_000)).catch(() => {})
          }
          await admin.config("SET", "maxmemory", "0")
        }),
      limits.burst,
      { config: { "maxmemory-policy": "volatile-lru" } }
    )
  )
})
