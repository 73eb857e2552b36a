import * as InvalidArgument from "@effect-retry/core/InvalidArgument"
import { TokenBucket } from "@effect-retry/core"
import { SharedBucket } from "@effect-retry/fleet"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import type * as RedisError from "@effect-retry/fleet/RedisError"
import type * as RedisStore from "@effect-retry/fleet/RedisStore"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Cause, Clock, Effect, Fiber, Option, Scope, Logger } from "effect"
import { acquire, failed, isGranted, succeeded } from "../../../../core/test/fund/Compositions.ts"
import * as LocalShare from "../../../src/fund/bucket/LocalShare.ts"
import type { Members } from "../../../src/fund/fleet/Members.ts"
import * as SpecStore from "../../SpecStore.ts"
import { fleetOf, type StoreError } from "./Shared.ts"

type Bucket = TokenBucket.TokenBucket

const limits = { burst: 12, perSecond: 1 }

/** Members of which the test says how many there are. */
const counted = (first: number) => {
  let sharers = first
  let resize: (sharers: number) => Effect.Effect<void> = () => Effect.void
  const members: Members = {
    join: () =>
      Effect.succeed({
        sharers: () => sharers,
        follow: (follow) => {
          resize = follow
          return resize(sharers)
        }
      })
  }
  const change = (to: number) =>
    Effect.suspend(() => {
      sharers = to
      return resize(to)
    })
  return { members, change }
}

const store = SpecStore.make()

const quota = (members: Members, maxWait: Option.Option<number> = Option.none()) =>
  LocalShare.quota({ members, store, limits, maxWait, costOf: ({ attempt }) => (attempt === 1 ? 3 : 2), dearest: 3 })

const rate = (members: Members, maxWait: Option.Option<number> = Option.none()) =>
  LocalShare.rate({ members, store, limits, maxWait })

/** How many attempts a bucket grants at once, each of which fails. */
const grants = (bucket: Bucket, most = 100) =>
  Effect.gen(function* () {
    for (let count = 0; count < most; count++) {
      const granted = yield* acquire(bucket)
      if (Option.isNone(granted)) return count
      yield* bucket.record(failed(granted.value, 2))
    }
    return most
  })

const virtually = <A, E>(self: Effect.Effect<A, E, Scope.Scope>) =>
  self.pipe(Effect.scoped, Effect.provide(SeededRandom.layer("local share")), VirtualClock.run)

describe("LocalShare", () => {
  it.effect.each([
    { kind: "quota", make: quota, counts: { 1: 6, 3: 2, 50: 0 } },
    { kind: "rate", make: rate, counts: { 1: 12, 3: 4, 50: 0 } }
  ])("of a $kind is its part of the whole", ({ counts, make }) =>
    virtually(
      Effect.gen(function* () {
        for (const [sharers, count] of Object.entries(counts)) {
          const bucket = yield* make(counted(Number(sharers)).members)
          expect([sharers, yield* grants(bucket)]).toEqual([sharers, count])
        }
      })
    )
  )

  it.effect("grants an attempt now and then if it is less than one attempt costs", () =>
    virtually(
      Effect.gen(function* () {
        const bucket = yield* quota(counted(12).members)
        yield* Effect.sleep("35 seconds")
        // A first attempt costs 3, and there is room for no more.
        expect(yield* bucket.level).toBeCloseTo(3)
        yield* Effect.sleep("1 minute")
        expect([yield* isGranted(bucket, { attempt: 1 }), yield* isGranted(bucket)]).toEqual([true, false])
      })
    )
  )

  it.effect("follows the members, and gains no token by it", () =>
    virtually(
      Effect.gen(function* () {
        const { change, members } = counted(2)
        const bucket = yield* rate(members)
        const levels: Array<number> = []
        const note = Effect.flatMap(bucket.level, (level) => Effect.sync(() => levels.push(level)))
        yield* Effect.zipRight(grants(bucket, 4), note)
        yield* Effect.zipRight(change(1), note)
        yield* Effect.zipRight(Effect.sleep("4 seconds"), note)
        yield* Effect.zipRight(change(4), note)
        yield* Effect.zipRight(change(2), note)
        yield* Effect.zipRight(Effect.sleep("4 seconds"), note)
        expect(levels).toEqual([2, 2, 6, 3, 3, 5])
      })
    )
  )

  it.effect("wakes an attempt that waits when its share grows", () =>
    virtually(
      Effect.gen(function* () {
        const { change, members } = counted(12)
        const bucket = yield* rate(members, Option.some(Infinity))
        yield* isGranted(bucket)
        const waiting = yield* Effect.fork(Effect.zipRight(isGranted(bucket), Clock.currentTimeMillis))
        const start = yield* Clock.currentTimeMillis
        yield* Effect.sleep("6 seconds")
        yield* change(1)
        expect((yield* Fiber.join(waiting)) - start).toBe(6_500)
      })
    )
  )

  it.effect("refuses an attempt at once that would wait for too long", () =>
    virtually(
      Effect.gen(function* () {
        const bucket = yield* rate(counted(12).members, Option.some(11_999))
        yield* isGranted(bucket)
        const start = yield* Clock.currentTimeMillis
        expect([yield* isGranted(bucket), (yield* Clock.currentTimeMillis) - start]).toEqual([false, 0])
        yield* Effect.sleep("1 second")
        expect([yield* isGranted(bucket), (yield* Clock.currentTimeMillis) - start]).toEqual([true, 12_000])
      })
    )
  )

  it.effect("of a quota takes back the cost of a retry that succeeded, and nothing else", () =>
    virtually(
      Effect.gen(function* () {
        const bucket = yield* quota(counted(1).members)
        const granted = Option.getOrThrow(yield* acquire(bucket))
        yield* bucket.record(succeeded())
        expect(yield* bucket.level).toBe(10)
        yield* bucket.record(succeeded(granted, 2))
        expect(yield* bucket.level).toBe(12)
      })
    )
  )
})

describe("RedisBucket.orLocalShare", () => {
  const options = { name: "orders", capacity: 20, refillPerSecond: 5, cost: { orElse: 1 }, leaseShare: 0 }

  /** A store that can be away, and a process of the fleet. */
  const fleet = () => {
    let isAway = false
    const store = SpecStore.make<StoreError>((decide) => (isAway ? Effect.fail("away") : decide))
    const goAway = Effect.sync(() => {
      isAway = true
    })
    const shared = Effect.suspend(() => SharedBucket.quota("test", options)(fleetOf(store)))
    return { store, goAway, shared }
  }

  it.effect("asks the shared bucket while the store answers, and then the share of the members", () =>
    virtually(
      Effect.gen(function* () {
        const { goAway, shared } = fleet()
        const failures: Array<string> = []
        const members = yield* Effect.replicateEffect(
          Effect.flatMap(
            shared,
            RedisBucket.orLocalShare({
              within: "50 millis",
              onFailure: (cause) => Effect.sync(() => failures.push(Cause.pretty(cause)))
            })
          ),
          2
        )
        yield* Effect.sleep("30 seconds")
        const all = Effect.map(
          Effect.forEach(members, (bucket) => grants(bucket)),
          (counts) => counts.reduce((sum, count) => sum + count, 0)
        )
        expect([yield* Effect.forEach(members, (bucket) => isGranted(bucket)), failures.length]).toEqual([
          [true, true],
          0
        ])
        yield* goAway
        // All of it at once, and then by the rate.
        expect(yield* all).toBe(20)
        expect(failures.length).toBeGreaterThan(0)
        let later = 0
        for (let second = 0; second < 2; second++) {
          yield* Effect.sleep("1 second")
          later += yield* all
        }
        expect(later).toBe(10)
      })
    )
  )

  it.effect("sends heartbeats, which a bucket without it does not", () =>
    virtually(
      Effect.gen(function* () {
        const { shared, store } = fleet()
        const bucket = yield* shared
        yield* Effect.sleep("1 minute")
        expect(store.calls).toEqual([])
        yield* RedisBucket.orLocalShare(bucket, { within: "50 millis" })
        yield* Effect.sleep("1 second")
        expect(store.calls.map(({ _tag, key }) => [_tag, key])).toEqual([["present", "orders"]])
      })
    )
  )

  it.effect("has a share for each key, and heartbeats for all keys together", () =>
    virtually(
      Effect.gen(function* () {
        const { goAway, store } = fleet()
        const make = Effect.flatMap(
          SharedBucket.quota("test", options)(fleetOf(store)),
          RedisBucket.orLocalShare({ within: "50 millis" })
        )
        const keyed = TokenBucket.keyed({ bucket: make, maxKeys: 10, idleTimeToLive: "1 hour" })
        const bucket = yield* keyed
        const at = (key: string) => Effect.provideService(TokenBucket.Key, key)
        yield* Effect.forEach(["a", "b"], (key) => at(key)(isGranted(bucket)))
        yield* Effect.sleep("1 second")
        yield* goAway
        expect([yield* at("a")(grants(bucket)), yield* at("b")(grants(bucket))]).toEqual([20, 20])
        expect(store.calls.filter(({ _tag }) => _tag === "present").length).toBe(1)
      })
    )
  )

  it.effect("logs a defect in onFailure, and answers all the same", () =>
    virtually(
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.make(({ message }) => void lines.push(String(message)))
        const away = {
          ...TokenBucket.unlimited,
          acquire: () => Effect.fail("away"),
          localShare: Effect.succeed(TokenBucket.unlimited)
        }
        const bucket = yield* RedisBucket.orLocalShare(away, {
          within: "50 millis",
          onFailure: () => Effect.die("broken")
        })
        const asked = Effect.zipLeft(isGranted(bucket), Effect.yieldNow())
        expect(yield* Effect.provide(asked, Logger.replace(Logger.defaultLogger, logger))).toBe(true)
        expect(lines).toEqual(["TokenBucket.fallback: onFailure died"])
      })
    )
  )

  it("refuses a bad bound", () => {
    const bucket = { ...TokenBucket.unlimited, localShare: Effect.succeed(TokenBucket.unlimited) }
    const make = () => RedisBucket.orLocalShare(bucket, { within: 0 })
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow("orLocalShare: within must be a finite duration > 0")
  })

  it("knows the error of the bucket in a pipe", () => {
    const bucket = RedisBucket.quota({ name: "orders", capacity: 60, refillPerSecond: 6 }).pipe(
      Effect.flatMap(
        RedisBucket.orLocalShare({
          within: "50 millis",
          onFailure: (cause) => {
            expectTypeOf(cause).toEqualTypeOf<Cause.Cause<RedisError.RedisError | Cause.TimeoutException>>()
            return Effect.void
          }
        })
      )
    )
    expectTypeOf(bucket).toEqualTypeOf<Effect.Effect<Bucket, never, RedisStore.RedisStore | Scope.Scope>>()
    const plain = RedisBucket.fixed({ name: "orders", rate: 10, burst: 6 }).pipe(
      Effect.flatMap(RedisBucket.orLocalShare({ within: "50 millis" }))
    )
    expectTypeOf(plain).toEqualTypeOf<Effect.Effect<Bucket, never, RedisStore.RedisStore | Scope.Scope>>()
  })
})
