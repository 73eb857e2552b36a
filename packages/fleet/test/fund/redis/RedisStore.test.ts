import type { Store } from "@effect-retry/fleet"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as Redis from "@effect-retry/servers/Redis"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RedisError } from "../../../src/accept/RedisError.ts"
import * as RedisKey from "../../../src/fund/redis/RedisKey.ts"
import { adapters } from "./Adapters.ts"

let keys = 0

type OfRedis = Store.Store<RedisError>

/** A token comes in every hour: tests take no time beside that. */
const slow = { burst: 5, perSecond: 1 / 3600 }
const window = 5 * 3_600_000_000

/** Another type, and texts that are no whole number of at most sixteen digits. */
const foreign: ReadonlyArray<(admin: Redis.Server["admin"], key: string) => Promise<unknown>> = [
  (admin, key) => admin.rpush(key, "x"),
  ...["drop table", "", "1.5", "-1", "0x10", "1e3", "1\n2", "12345678901234567"].map(
    (value) => (admin: Redis.Server["admin"], key: string) => admin.set(key, value)
  )
]

describe.each(adapters)("a store by $library", ({ layer, library }) => {
  const using = <A, E>(f: (store: OfRedis, server: Redis.Server, key: string) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const server = yield* Redis.shared
      const key = `RedisStore:${library}:${(keys += 1)}`
      return yield* Effect.provide(
        Effect.flatMap(RedisStore.RedisStore, (store) => f(store, server, key)),
        // Longer than a machine stalls.
        layer({ port: server.port, within: "1 minute" })
      )
    })

  it.live("takes what is wanted, then what is left, then nothing, and the last writes nothing", () =>
    using((store, { admin }, key) =>
      Effect.gen(function* () {
        const kept = RedisKey.arrival(key, window)
        const all = yield* store.take(key, slow, 3, 3)
        const expiry = yield* Effect.promise(() => admin.pttl(kept))
        const rest = yield* store.take(key, slow, 3, 1)
        // A refusal that wrote would make the key last for its five hours again.
        yield* Effect.promise(() => admin.expire(kept, 600))
        const before = yield* Effect.promise(() => admin.get(kept))
        const none = yield* store.take(key, slow, 3, 1)
        expect([all.granted, none.granted]).toEqual([3, 0])
        expect(all.level).toBeCloseTo(2, 1)
        expect(rest.granted).toBeCloseTo(2, 1)
        expect(expiry).toBeGreaterThan(10_000_000)
        expect(expiry).toBeLessThanOrEqual(3 * 3_600_000)
        expect(none.retryAfterMillis).toBeGreaterThan(3_000_000)
        expect(none.retryAfterMillis).toBeLessThanOrEqual(3_600_000)
        expect(yield* Effect.promise(() => admin.get(kept))).toBe(before)
        expect(yield* Effect.promise(() => admin.pttl(kept))).toBeLessThanOrEqual(600_000)
      })
    )
  )

  it.live("puts tokens in up to the burst, and has no key for a full bucket", () =>
    using((store, { admin }, key) =>
      Effect.gen(function* () {
        const exists = Effect.promise(() => admin.exists(RedisKey.arrival(key, window)))
        yield* store.put(key, slow, 1)
        expect([yield* exists, yield* store.level(key, slow)]).toEqual([0, 5])
        yield* store.take(key, slow, 3, 3)
        yield* store.put(key, slow, 2)
        expect(yield* store.level(key, slow)).toBeCloseTo(4, 1)
        expect(yield* exists).toBe(1)
        yield* store.put(key, slow, 2)
        expect([yield* exists, yield* store.level(key, slow)]).toEqual([0, 5])
      })
    )
  )

  it.live("keeps a bucket for each set of limits, so that a change of them is no debt and no gift", () =>
    using((store, _, key) =>
      Effect.gen(function* () {
        yield* store.take(key, slow, 5, 5)
        expect(yield* store.level(key, { ...slow, burst: 2 })).toBe(2)
        expect(yield* store.level(key, slow)).toBeCloseTo(0, 1)
      })
    )
  )

  it.live("counts the members that are there, until they go or their time is over", () =>
    using((store, { admin }, key) =>
      Effect.gen(function* () {
        const kept = RedisKey.members(key)
        yield* Effect.promise(() => admin.zadd(kept, 1, "long gone"))
        expect(yield* store.present(key, "a", 60_000)).toBe(1)
        expect(yield* store.present(key, "b\ud83d", 30_000)).toBe(2)
        expect(yield* store.present(key, "b\ud83e", 30_000)).toBe(3)
        expect(yield* store.present(key, "a", 60_000)).toBe(3)
        expect(yield* store.present(key, "b\ud83d", 0)).toBe(2)
        const expiry = yield* Effect.promise(() => admin.pttl(kept))
        expect(expiry).toBeGreaterThan(30_000)
        expect(expiry).toBeLessThanOrEqual(60_000)
      })
    )
  )

  it.live("keeps the text of a circuit for the time of the swap that wrote it", () =>
    using((store, { admin }, key) =>
      Effect.gen(function* () {
        const expiry = Effect.promise(() => admin.pttl(RedisKey.circuit(key)))
        yield* store.swap(key, "", "Isolated 0 0 0", 60_000)
        const written = yield* expiry
        expect(written).toBeGreaterThan(0)
        expect(written).toBeLessThanOrEqual(60_000)
        // Neither a swap that comes too late nor one that only reads makes it last longer.
        yield* store.swap(key, "", "Isolated 1 1 1", 600_000)
        yield* store.swap(key, "Isolated 0 0 0", "Isolated 0 0 0", 600_000)
        expect(yield* expiry).toBeLessThanOrEqual(60_000)
        yield* Effect.promise(() => admin.pexpire(RedisKey.circuit(key), 0))
        expect((yield* store.swap(key, "", "", 1000)).text).toBe("")
      })
    )
  )

  it.live(
    "writes nothing with a refusal, and refuses for two windows at most when the clock of the server went back",
    () =>
      using((store, { admin }, key) =>
        Effect.gen(function* () {
          const kept = RedisKey.arrival(key, window)
          const now = Number((yield* Effect.promise(() => admin.time()))[0]) * 1_000_000
          const ask = (owed: number) =>
            Effect.gen(function* () {
              yield* Effect.promise(() => admin.set(kept, `${now + owed}`))
              const { granted } = yield* store.take(key, slow, 2, 1)
              return { granted, owed: Number(yield* Effect.promise(() => admin.get(kept))) - now }
            })
          expect(yield* ask(1.9 * window)).toEqual({ granted: 0, owed: 1.9 * window })
          const { granted, owed } = yield* ask(100 * window)
          expect(granted).toBe(1)
          expect(owed).toBeGreaterThanOrEqual(window)
          expect(owed).toBeLessThan(window + 600_000_000)
        })
      )
  )

  it.live("leaves a value alone that no bucket wrote", () =>
    using((store, { admin }, key) =>
      Effect.gen(function* () {
        const keys = [RedisKey.arrival(key, window)]
        const dump = Effect.promise(() => Promise.all(keys.map((key) => admin.dumpBuffer(key))))
        for (const write of foreign) {
          yield* Effect.promise(() => Promise.all(keys.map((key) => write(admin, key))))
          const before = yield* dump
          const calls = [store.take(key, slow, 1, 1), store.put(key, slow, 1), store.level(key, slow)]
          const errors = yield* Effect.forEach(calls, Effect.flip)
          const wrongType = ["WrongType", "WRONGTYPE"]
          expect(errors.map(({ code, reason }) => [reason, code])).toEqual(calls.map(() => wrongType))
          expect(yield* dump).toEqual(before)
          yield* Effect.promise(() => admin.del(keys))
        }
      })
    )
  )

  it.live("leaves another kind of value alone when members are asked for", () =>
    using((store, { admin }, key) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => admin.set(RedisKey.members(key), "1"))
        const { reason } = yield* Effect.flip(store.present(key, "a", 1000))
        expect(reason).toBe("WrongType")
        expect(yield* Effect.promise(() => admin.get(RedisKey.members(key)))).toBe("1")
      })
    )
  )

  it.live("keeps buckets apart, whatever their names hold", () =>
    using((store, _, key) =>
      Effect.gen(function* () {
        const long = "k".repeat(1000)
        const hostile = ["", "}", "{", "{}", "\0", "\r\n", "\ud83d", "\ud83e", "%", "é", "e\u0301", long, `${long}k`]
        const levels = yield* Effect.forEach(hostile, (part, index) =>
          Effect.zipRight(
            store.take(`${key}:${part}`, { ...slow, burst: 100 }, index + 1, index + 1),
            store.level(`${key}:${part}`, { ...slow, burst: 100 })
          )
        )
        expect(levels.map(Math.floor)).toEqual(hostile.map((_, index) => 99 - index))
      })
    )
  )
})
