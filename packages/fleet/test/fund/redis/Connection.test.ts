import type { Store } from "@effect-retry/fleet"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as Proxy from "@effect-retry/servers/Proxy"
import * as Redis from "@effect-retry/servers/Redis"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Exit, Layer, Schedule, Scope } from "effect"
import type { RedisError } from "../../../src/accept/RedisError.ts"
import * as Connection from "../../../src/fund/redis/Connection.ts"
import { adapters, type Options } from "./Adapters.ts"

type OfRedis = Store.Store<RedisError>

const limits = { burst: 5, perSecond: 1 / 3600 }

/** Longer than a machine stalls. A call that waits for its bound fails as `TimedOut`. */
const within = "20 seconds"

const take = (store: OfRedis) => store.take("orders", limits, 1, 1)

const reasonOf = (store: OfRedis) =>
  Effect.map(Effect.flip(take(store)), ({ code, reason }) => `${reason} ${code}`.trim())

/** Takes until there is a connection. Tries that come faster keep a busy machine from making one. */
const takeSoon = (store: OfRedis) => Effect.retry(take(store), Schedule.spaced("50 millis"))

// Each test has a server or a proxy of its own, and waits for it most of its time.
describe.concurrent.each(adapters)("a connection by $library", ({ byUrl, layer }) => {
  const connect = (options: Options): Effect.Effect<OfRedis, never, Scope.Scope> =>
    Effect.map(Layer.build(layer(options)), Context.get(RedisStore.RedisStore))

  it.scopedLive("heals after SCRIPT FLUSH and a restart, and loads a script once", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const store = yield* connect({ port: server.port, within })
      const evals = Effect.promise(async () => {
        const stats = await server.admin.info("commandstats")
        const calls = (command: string) => Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
        return [calls("evalsha"), calls("eval")]
      })
      yield* Effect.repeatN(take(store), 2)
      expect(yield* evals).toEqual([3, 1])
      yield* Effect.promise(() => server.admin.script("FLUSH"))
      expect((yield* take(store)).level).toBeCloseTo(1, 1)
      expect(yield* evals).toEqual([4, 2])
      yield* server.restart
      expect((yield* takeSoon(store)).level).toBeCloseTo(4, 1)
    })
  )

  it.scopedLive("fails at once while the server is down, even if it was down from the start", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const before = yield* connect({ port: server.port, within })
      yield* take(before)
      yield* server.kill
      const after = yield* connect({ port: server.port, within })
      expect(yield* reasonOf(after)).toBe("Unavailable ECONNREFUSED")
      expect(yield* reasonOf(before)).toMatch(/^Unavailable/)
      yield* server.restart
      expect((yield* takeSoon(after)).granted).toBe(1)
      expect((yield* takeSoon(before)).granted).toBe(1)
    })
  )

  it.scopedLive("takes nothing from a full server, and loses nothing", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start({ config: { "maxmemory-policy": "noeviction" } })
      const store = yield* connect({ port: server.port, within })
      yield* take(store)
      yield* Effect.promise(() => server.admin.config("SET", "maxmemory", "1"))
      expect(yield* reasonOf(store)).toBe("Full OOM")
      expect(yield* store.level("orders", limits)).toBeCloseTo(4, 1)
      yield* Effect.promise(() => server.admin.config("SET", "maxmemory", "0"))
      expect((yield* take(store)).level).toBeCloseTo(3, 1)
    })
  )

  it.scopedLive("says what credentials and permissions the server asks for", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const user = (...rules: ReadonlyArray<string>) =>
        Effect.promise(() => server.admin.acl("SETUSER", ...(rules as [string])))
      yield* user("limited", "on", ">secret", "~*", "+@all", "-evalsha")
      yield* user("timeless", "on", ">secret", "~*", "+@all", "-time")
      yield* user("other", "on", ">secret", "~other:*", "+@all")
      const { port } = server
      const as = (username: string, password: string) =>
        Effect.flatMap(connect({ port, within, username, password }), reasonOf)
      expect(yield* as("limited", "secret")).toBe("Refused NOPERM")
      expect(yield* as("timeless", "secret")).toBe("Refused NOPERM")
      expect(yield* as("other", "secret")).toBe("Refused NOPERM")
      expect(yield* as("limited", "wrong")).toBe("Refused WRONGPASS")
      yield* Effect.promise(() => server.admin.config("SET", "requirepass", "secret"))
      expect(yield* Effect.flatMap(connect({ port, within }), reasonOf)).toBe("Refused NOAUTH")
      const inDatabase = (database: number): Effect.Effect<OfRedis, never, Scope.Scope> =>
        Effect.map(
          Layer.build(byUrl({ url: `redis://default:secret@127.0.0.1:${port}/${database}`, within })),
          Context.get(RedisStore.RedisStore)
        )
      expect((yield* Effect.flatMap(inDatabase(3), take)).granted).toBe(1)
      expect(yield* Effect.promise(() => server.admin.info("keyspace"))).toContain("db3:keys=1")
      expect(yield* Effect.flatMap(inDatabase(99), reasonOf)).toBe("Refused ERR")
      expect(yield* Effect.promise(() => server.admin.info("keyspace"))).not.toContain("db0")
    })
  )

  it.scopedLive("reports what the server says as it closes the connection of a client too many", () =>
    Effect.gen(function* () {
      const { admin, port } = yield* Redis.start()
      yield* Effect.promise(() => admin.config("SET", "maxclients", "1"))
      const error = yield* Effect.flatMap(connect({ port, within }), (store) => Effect.flip(take(store)))
      expect([error.reason, error.code]).toEqual(["Unavailable", "ERR"])
      expect(String(error.error)).toContain("max number of clients reached")
    })
  )

  it.scopedLive("leaves a server that became a replica, and comes back to one that became a primary", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const store = yield* connect({ port: server.port, within })
      yield* take(store)
      yield* Effect.promise(() => server.admin.replicaof("127.0.0.1", 1))
      const reasons = yield* Effect.replicateEffect(reasonOf(store), 2)
      expect(reasons).toEqual(["Unavailable READONLY", "Unavailable"])
      yield* Effect.promise(() => server.admin.replicaof("NO", "ONE"))
      expect((yield* takeSoon(store)).level).toBeCloseTo(3, 1)
    })
  )

  it.scopedLive("fails within its bound when the server is frozen, and leaves the connection after three", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const store = yield* connect({ port: server.port })
      yield* takeSoon(store)
      yield* server.freeze
      expect(yield* Effect.all([reasonOf(store), reasonOf(store)], { concurrency: "unbounded" })).toEqual([
        "TimedOut",
        "TimedOut"
      ])
      expect(yield* Effect.replicateEffect(reasonOf(store), 2)).toEqual(["TimedOut", "TimedOut"])
      // Also while the new connection is waited for: no call waits with it.
      const meanwhile = yield* Effect.replicateEffect(Effect.delay(reasonOf(store), "10 millis"), 20)
      expect(new Set(meanwhile)).toEqual(new Set(["Unavailable"]))
      yield* server.thaw
      yield* takeSoon(store)
    })
  )

  it.scopedLive("comes back after a partition that no connection notices", () =>
    Effect.gen(function* () {
      const proxy = yield* Proxy.start(yield* Redis.shared)
      const store = yield* connect({ port: proxy.port })
      yield* takeSoon(store)
      yield* proxy.swallow
      expect(yield* Effect.replicateEffect(reasonOf(store), 3)).toEqual(["TimedOut", "TimedOut", "TimedOut"])
      yield* proxy.forward
      yield* takeSoon(store)
    })
  )

  it.live("leaves no connection behind when its scope ends, whatever the server does", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* Redis.start()
        const names = Effect.promise(async () =>
          [...String(await server.admin.client("LIST")).matchAll(/ name=(\S+)/g)].map(([, name]) => name)
        )
        const scope = yield* Scope.make()
        const store = yield* Scope.extend(connect({ port: server.port, within, name: "ours" }), scope)
        yield* take(store)
        expect(yield* names).toEqual(["ours"])
        yield* Scope.close(scope, Exit.void)
        expect(yield* reasonOf(store)).toBe("Unavailable")
        yield* Effect.repeat(names, { until: (names) => names.length === 0 })
      })
    )
  )
})

/** A link that does as it is told, for what depends on the order of events. */
const stub = (...openings: ReadonlyArray<() => Promise<unknown>>) => {
  const heard = { opened: 0, closed: 0 }
  let listeners: Parameters<Connection.Link["listen"]>[0] | undefined
  const link: Connection.Link = {
    client: {
      evalsha: () => Promise.reject(new Error("The client is offline")),
      eval: () => Promise.reject(new Error("READONLY You can't write against a read only replica."))
    },
    open: () => (openings[heard.opened++] ?? (() => Promise.resolve()))(),
    close: () => {
      heard.closed += 1
    },
    listen: (given) => {
      listeners = given
    }
  }
  return {
    heard,
    link,
    error: (error: unknown) => listeners?.onError(error),
    closed: Effect.sync(() => listeners?.onClosed())
  }
}

const kept = ({ link }: ReturnType<typeof stub>) => Connection.keep(() => link, 1000)

const rejection = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => "resolved",
      (thrown: Error) => thrown.message
    )
  )

const call = ({ client }: Connection.Kept) => rejection(client.evalsha("", "", []))

describe("Connection.keep", () => {
  it.effect("says why there is no connection, as long as there is none", () =>
    Effect.gen(function* () {
      const own = stub(
        () => Promise.reject(new Error("connect ECONNREFUSED")),
        () => Promise.resolve()
      )
      const connection = yield* kept(own)
      expect(yield* call(connection)).toBe("connect ECONNREFUSED")
      yield* Effect.sleep("1 second")
      expect(own.heard.opened).toBe(2)
      expect(yield* call(connection)).toBe("The client is offline")
      own.error(new Error("read ECONNRESET"))
      expect(yield* call(connection)).toBe("read ECONNRESET")
      // What the server said is never replaced.
      expect(yield* rejection(connection.client.eval("", "", []))).toContain("READONLY")
      expect(own.heard.closed).toBe(1)
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("opens again when the connection is closed, sooner or later by chance", () =>
    Effect.gen(function* () {
      const own = stub()
      yield* kept(own)
      yield* own.closed
      yield* Effect.sleep("51 millis")
      expect(own.heard.opened).toBe(2)
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  const unanswered = () => new Promise(() => {})

  it.effect(
    "gives up an opening without an answer after three bounds, and does not wait for it longer than a call",
    () =>
      Effect.gen(function* () {
        const own = stub(unanswered)
        const [elapsed] = yield* Effect.timed(kept(own))
        expect(Duration.toMillis(elapsed)).toBe(1000)
        yield* Effect.sleep("1999 millis")
        expect(own.heard).toEqual({ opened: 1, closed: 0 })
        yield* Effect.sleep("27 millis")
        expect(own.heard).toEqual({ opened: 2, closed: 1 })
      }).pipe(Effect.scoped, Effect.withRandomFixed([0.5]), VirtualClock.run)
  )

  it.effect(
    "waits for each opening twice as long as for the one before, up to five seconds, until one is answered",
    () =>
      Effect.gen(function* () {
        const answered = () => Promise.resolve()
        const own = stub(...Array.from({ length: 6 }, () => unanswered), answered, unanswered)
        yield* Connection.keep(() => own.link, 100)
        // The first 100 ms have passed: the store is there by then. One more keeps the test apart from the openings.
        yield* Effect.sleep(1)
        const left = [200, 600, 1200, 2400, 4800, 5000]
        for (const [index, millis] of left.entries()) {
          yield* Effect.sleep(millis - 2)
          expect(own.heard.closed).toBe(index)
          yield* Effect.sleep(2)
          expect(own.heard.closed).toBe(index + 1)
        }
        yield* own.closed
        yield* Effect.sleep("299 millis")
        expect(own.heard).toEqual({ opened: 8, closed: 6 })
        yield* Effect.sleep("2 millis")
        expect(own.heard.closed).toBe(7)
      }).pipe(Effect.scoped, Effect.withRandomFixed([0]), VirtualClock.run)
  )

  it.effect("closes the connection when its scope ends, and opens none after that", () =>
    Effect.gen(function* () {
      const own = stub()
      yield* Effect.scoped(kept(own))
      yield* own.closed
      yield* Effect.sleep("1 minute")
      expect(own.heard).toEqual({ opened: 1, closed: 1 })
    }).pipe(VirtualClock.run)
  )

  it.effect("leaves a connection after three bounds without an answer, one after the other", () =>
    Effect.gen(function* () {
      const own = stub()
      const { watch } = yield* kept(own)
      const [first, sameTime] = [watch(), watch()]
      first(false)
      sameTime(false)
      watch()(false)
      watch()(true)
      watch()(false)
      watch()(false)
      expect(own.heard.closed).toBe(0)
      watch()(false)
      expect(own.heard.closed).toBe(1)
    }).pipe(Effect.scoped, VirtualClock.run)
  )
})
