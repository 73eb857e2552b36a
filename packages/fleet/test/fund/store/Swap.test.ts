import { type CircuitBreaker, Verdict } from "@effect-retry/core"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as RedisServer from "@effect-retry/servers/Redis"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Queue } from "effect"
import { acquire, isGranted } from "../../../../core/test/fund/Asking.ts"
import * as RedisKey from "../../../src/fund/redis/RedisKey.ts"
import type { CircuitBreakerOptions } from "../../../src/fund/bucket/SharedBucket.ts"
import type { Store } from "../../../src/fund/store/Store.ts"
import * as Database from "../postgres/Database.ts"

// Longer than a machine stalls.
const within = "1 minute"

/** A connection of its own, each time that it is built. */
const redis = Layer.unwrapEffect(Effect.map(RedisServer.shared, ({ port }) => IoRedis.layer({ port, within })))

const postgres = Layer.unwrapScoped(
  Effect.map(Database.make, ({ pool }) => PostgresStore.layer(PostgresClient.fromPool(pool), { within }))
)

const open = "Open 1 10 1 1"
const isolated = "Isolated 1 10 1"

let keys = 0
const newKey = () => `Swap:${(keys += 1)}`

const textOf = (store: Store<unknown>, key: string, expected = "", next = expected, millis = 60_000) =>
  Effect.map(store.swap(key, expected, next, millis), ({ text }) => text)

const swaps = (store: Store<unknown>) =>
  Effect.gen(function* () {
    const key = newKey()
    expect(yield* textOf(store, key)).toBe("")
    expect(yield* textOf(store, key, "", open)).toBe(open)
    expect(yield* textOf(store, key, "", isolated)).toBe(open)
    expect(yield* textOf(store, key, open)).toBe(open)
    expect(yield* textOf(store, key, open, isolated, 1)).toBe(isolated)
    yield* Effect.sleep("20 millis")
    expect(yield* textOf(store, key, isolated)).toBe("")
  })

/** Of all that ask at once one has its text in the store, and sees that. */
const races = (store: Store<unknown>) =>
  Effect.gen(function* () {
    const key = newKey()
    const texts = Array.from({ length: 8 }, (_, i) => `Open 1 10 1 ${i}`)
    const answers = yield* Effect.forEach(texts, (text) => textOf(store, key, "", text), { concurrency: "unbounded" })
    expect(answers.filter((answer, i) => answer === texts[i])).toEqual([yield* textOf(store, key)])
  })

/** Two processes open, probe and close one circuit. */
const shares = (make: Effect.Effect<CircuitBreaker.CircuitBreaker>) =>
  Effect.gen(function* () {
    const [a, b] = [yield* make, yield* make]
    const opening = Option.getOrThrow(yield* acquire(a))
    yield* a.record({ _tag: "Failed", attempt: 1, granted: opening, verdict: Verdict.server })
    expect((yield* b.state)._tag).toBe("Open")
    expect(yield* isGranted(b)).toBe(false)
    // A closed circuit tells of itself, whatever a machine makes of a timer.
    const closed = yield* b.subscribe
    const probe = Option.getOrThrow(
      yield* Effect.repeat(Effect.delay(acquire(b), "20 millis"), { until: Option.isSome })
    )
    expect([yield* isGranted(a), (yield* a.state)._tag]).toEqual([false, "HalfOpen"])
    yield* b.record({ _tag: "Succeeded", attempt: 1, granted: probe })
    expect(yield* Queue.takeAll(closed)).toContainEqual({ _tag: "Closed" })
    expect((yield* a.state)._tag).toBe("Closed")
  })

const options: Omit<CircuitBreakerOptions, "name"> = {
  opensAt: { consecutive: 1 },
  openFor: "200 millis",
  refreshAfter: 0
}

describe("the texts of circuits in Redis", () => {
  it.scopedLive("are replaced if they are as expected, until their time is over", () =>
    Effect.provide(Effect.flatMap(RedisStore.RedisStore, swaps), redis)
  )

  it.scopedLive("are replaced by one of all that ask at once", () =>
    Effect.provide(Effect.flatMap(RedisStore.RedisStore, races), redis)
  )

  it.scopedLive("are the circuit of all processes", () =>
    Effect.provide(
      Effect.flatMap(RedisStore.RedisStore, (store) =>
        shares(
          Effect.provideService(RedisBucket.circuitBreaker({ ...options, name: "Swap" }), RedisStore.RedisStore, store)
        )
      ),
      redis
    )
  )

  it.scopedLive("are left alone if no circuit wrote them", () =>
    Effect.gen(function* () {
      const { admin } = yield* RedisServer.shared
      const store = yield* RedisStore.RedisStore
      const [text, list] = [newKey(), newKey()]
      yield* Effect.promise(() => admin.set(RedisKey.circuit(text), "12"))
      expect(yield* Effect.flip(store.swap(text, "", open, 1))).toMatchObject({ reason: "BadAnswer" })
      yield* Effect.promise(() => admin.rpush(RedisKey.circuit(list), "12"))
      expect(yield* Effect.flip(store.swap(list, "", open, 1))).toMatchObject({ reason: "WrongType" })
      const kept = [RedisKey.circuit(text), RedisKey.circuit(list)].map((key) => admin.type(key))
      expect(yield* Effect.promise(() => Promise.all(kept))).toEqual(["string", "list"])
    }).pipe(Effect.provide(redis))
  )
})

describe("the texts of circuits in Postgres", () => {
  it.scopedLive("are replaced if they are as expected, by one of all that ask at once", () =>
    Effect.gen(function* () {
      const store = yield* PostgresStore.PostgresStore
      yield* swaps(store)
      yield* races(store)
      yield* shares(
        Effect.provideService(
          PostgresBucket.circuitBreaker({ ...options, name: "Swap" }),
          PostgresStore.PostgresStore,
          store
        )
      )
    }).pipe(Effect.provide(postgres))
  )
})
