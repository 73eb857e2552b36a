import { InvalidArgument, RateLimiter, TokenBucket } from "@effect-retry/core"
import { TokenBucketContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Context, Duration, Effect, Exit, FastCheck as fc, Fiber, Option } from "effect"
import * as AtOnce from "../../../src/fund/fiber/AtOnce.ts"
import { law } from "../../support/Laws.ts"
import {
  abandoned,
  acquire,
  audited,
  bucket,
  failed,
  isGranted,
  moves,
  request,
  succeeded,
  traceOf
} from "../Compositions.ts"
import type { Ledger } from "../Compositions.ts"
import * as SteppedClock from "../SteppedClock.ts"

type Bucket = TokenBucket.TokenBucket

const at = (key: string) => Effect.provideService(TokenBucket.Key, key)

const quota = TokenBucket.quota({ capacity: 10, cost: { orElse: 1 } })

const counting = RateLimiter.concurrencyLimit({ limit: 2, whenShort: "refuse" })

/** A keyed bucket, and the ledgers of the buckets it has made, in order; the first one is shared. */
const keyed = (options: Partial<Parameters<typeof TokenBucket.keyed<never, never>>[0]> = {}) =>
  Effect.gen(function* () {
    const ledgers: Array<Ledger> = []
    const each = Effect.map(options.bucket ?? quota, (bucket) => {
      const [audit, ledger] = audited(bucket)
      ledgers.push(ledger)
      return audit
    })
    const bucket = yield* TokenBucket.keyed({ maxKeys: 2, idleTimeToLive: "1 minute", ...options, bucket: each })
    return {
      bucket,
      ledgers,
      level: (key: string) => at(key)(bucket.level),
      spend: (key: string, count = 1) => at(key)(Effect.replicateEffect(isGranted(bucket), count))
    }
  })

const granted = (bucket: Bucket, key: string) => Effect.map(at(key)(acquire(bucket)), Option.getOrThrow)

const start = (bucket: Bucket, key: string) =>
  at(key)(bucket.started?.({ attempt: 1 }) ?? Effect.dieMessage("no started"))

describe("TokenBucket.keyed", () => {
  it.effect("has a bucket for each key, and one more for operations without a key", () =>
    Effect.gen(function* () {
      const { bucket, ledgers, level, spend } = yield* keyed({ maxKeys: 3 })
      yield* spend("a", 3)
      yield* spend("b", 1)
      yield* isGranted(bucket)
      expect([yield* level("a"), yield* level("b"), yield* level(""), ledgers.length]).toEqual([7, 9, 9, 4])
    })
  )

  it.effect("refunds and records with the bucket of the key, and with the grant of that bucket", () =>
    Effect.gen(function* () {
      const { bucket, ledgers, level } = yield* keyed()
      yield* (yield* granted(bucket, "a")).refund
      const grant = yield* granted(bucket, "a")
      yield* at("a")(bucket.record(succeeded(grant, 2)))
      yield* at("a")(bucket.record(failed()))
      yield* at("b")(bucket.record(succeeded()))
      expect(ledgers.map(({ heard }) => heard.map(({ granted }) => granted.tokens))).toEqual([[], [1, 0], [0]])
      expect(yield* level("a")).toBe(10)
    })
  )

  it.effect("makes the bucket of a key from what the effect reads of the key", () =>
    Effect.gen(function* () {
      const each = Effect.flatMap(TokenBucket.Key, (key) =>
        TokenBucket.quota({ capacity: 1 + key.length, cost: { orElse: 1 } })
      )
      const { level } = yield* at("maker")(keyed({ bucket: each }))
      expect([yield* level("abc"), yield* level("ab"), yield* level("shared")]).toEqual([
        4,
        3,
        1 + TokenBucket.Key.overflow.length
      ])
    })
  )

  it.effect("shares the bucket of the empty key with no other key", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const each = Effect.flatMap(TokenBucket.Key, (key) => {
        keys.push(key)
        return quota
      })
      const { level } = yield* keyed({ bucket: each, maxKeys: 1 })
      yield* level("")
      yield* level("beyond")
      expect(keys).toEqual([TokenBucket.Key.overflow, ""])
    })
  )

  it.effect("makes the shared bucket under a key of its own, even when it is renewed", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      const each = Effect.flatMap(TokenBucket.Key, (key) => {
        made.push(key)
        return quota
      })
      const { level } = yield* keyed({ bucket: each, maxKeys: 1 })
      yield* level("busy")
      yield* level("a")
      yield* Effect.zipRight(Effect.sleep("30 seconds"), level("busy"))
      yield* Effect.zipRight(Effect.sleep("30 seconds"), level("a"))
      expect(made).toEqual([TokenBucket.Key.overflow, "busy", TokenBucket.Key.overflow])
    }).pipe(VirtualClock.run)
  )

  it.effect("lets the keys without room share one bucket", () =>
    Effect.gen(function* () {
      const { ledgers, level, spend } = yield* keyed()
      yield* spend("a")
      yield* spend("b", 2)
      yield* spend("c", 3)
      yield* spend("d", 3)
      expect([yield* level("a"), yield* level("b"), yield* level("c"), yield* level("d")]).toEqual([9, 8, 4, 4])
      expect(ledgers.length).toBe(3)
    })
  )

  it.effect("drops a bucket not used for the time to live when another key needs room, whatever its level", () =>
    Effect.gen(function* () {
      const { ledgers, level, spend } = yield* keyed({ maxKeys: 1 })
      yield* spend("a", 10)
      yield* Effect.sleep("59999 millis")
      yield* spend("b")
      expect(ledgers.length).toBe(2)
      yield* Effect.sleep("1 milli")
      yield* spend("b", 4)
      expect([yield* level("b"), ledgers.length]).toEqual([6, 3])
    }).pipe(VirtualClock.run)
  )

  it.effect("has room for new keys when others have failed long ago", () =>
    Effect.gen(function* () {
      const failOnce = (key: string) => at(key)(Effect.zipRight(bucket.record(failed()), isGranted(bucket)))
      const { bucket, ledgers } = yield* keyed({ maxKeys: 100 })
      for (let key = 0; key < 200; key++) yield* failOnce(`seen-once-${key}`)
      yield* Effect.sleep("365 days")
      for (let tenant = 0; tenant < 100; tenant++) expect(yield* failOnce(`tenant-${tenant}`)).toBe(true)
      expect(ledgers.slice(101).map(({ granted }) => granted)).toEqual(Array.from({ length: 100 }, () => 1))
    }).pipe(VirtualClock.run)
  )

  it.effect("renews the shared bucket when it was not used for the time to live", () =>
    Effect.gen(function* () {
      const { level, spend } = yield* keyed({ maxKeys: 1 })
      yield* spend("busy")
      yield* spend("a", 10)
      for (const [seconds, expected] of [
        [59, 0],
        [59, 0],
        [60, 10]
      ] as const) {
        yield* Effect.sleep(Duration.seconds(seconds / 2))
        yield* level("busy")
        yield* Effect.sleep(Duration.seconds(seconds / 2))
        yield* level("busy")
        expect(yield* level("b")).toBe(expected)
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps the bucket of a key that comes back after the time to live, if no other key needed room", () =>
    Effect.gen(function* () {
      const { level, spend } = yield* keyed()
      yield* spend("a", 10)
      yield* Effect.sleep("1 day")
      expect(yield* level("a")).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("neither drops nor keeps a bucket for a step of the wall clock", () =>
    Effect.gen(function* () {
      const { level, spend } = yield* keyed({ maxKeys: 1 })
      yield* spend("a", 10)
      yield* VirtualClock.setWallTime("365 days")
      expect([yield* level("b"), yield* level("a")]).toEqual([10, 0])
      yield* VirtualClock.stepBack("300 days")
      yield* Effect.sleep("1 minute")
      yield* spend("b")
      // The shared bucket, which a now uses, was idle as well.
      expect([yield* level("b"), yield* level("a")]).toEqual([9, 10])
    }).pipe(VirtualClock.run)
  )

  it.effect("records an outcome with the bucket that granted the attempt, even if it was dropped meanwhile", () =>
    Effect.gen(function* () {
      const { bucket, ledgers } = yield* keyed({ maxKeys: 1 })
      const [refunded, recorded] = [yield* granted(bucket, "a"), yield* granted(bucket, "a")]
      yield* Effect.sleep("1 minute")
      yield* at("b")(isGranted(bucket))
      yield* Effect.sleep("1 minute")
      yield* at("a")(isGranted(bucket))
      yield* refunded.refund
      yield* at("a")(bucket.record(succeeded(recorded, 2)))
      expect(ledgers.map(({ refunded, spent }) => [refunded, spent])).toEqual([
        [0, 0],
        [1, 1],
        [0, 0],
        [0, 0]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("foretells what the bucket of the key foretells", () =>
    Effect.gen(function* () {
      const foretelling = Effect.map(TokenBucket.Key, (key): Bucket => ({
        ...TokenBucket.unlimited,
        refusalAfter: (delay) =>
          Effect.succeed(Option.some({ state: `${key} after ${Duration.toMillis(delay)}`, retryAfter: Option.none() }))
      }))
      const { bucket } = yield* keyed({ bucket: foretelling })
      expect(yield* at("a")(bucket.refusalAfter!(Duration.millis(7)))).toMatchObject({ value: { state: "a after 7" } })
    })
  )

  it.effect("foretells nothing for a key whose bucket cannot", () =>
    Effect.gen(function* () {
      let made = 0
      const refusal = Option.some({ state: "shut", retryAfter: Option.none() })
      const foretelling: Bucket = { ...TokenBucket.unlimited, refusalAfter: () => Effect.succeed(refusal) }
      const each = Effect.sync(() => (made++ === 0 ? foretelling : TokenBucket.unlimited))
      const bucket = yield* TokenBucket.keyed({ bucket: each, maxKeys: 1, idleTimeToLive: "1 minute" })
      const foretold = Effect.map(
        Effect.forEach(["a", "b"], (key) => at(key)(bucket.refusalAfter!(Duration.zero))),
        (all) => all.map(Option.isSome)
      )
      expect(yield* foretold).toEqual([false, true])
    })
  )

  it.effect("keeps a bucket in which an attempt waits", () =>
    Effect.gen(function* () {
      const slow = RateLimiter.fixed({ rate: 0.001, burst: 1 })
      const { bucket, ledgers } = yield* keyed({ maxKeys: 1, bucket: slow })
      yield* granted(bucket, "a")
      const waiting = yield* Effect.fork(granted(bucket, "a"))
      yield* Effect.sleep("10 minutes")
      yield* at("b")(bucket.level)
      expect(ledgers.length).toBe(2)
      yield* Fiber.interrupt(waiting)
      yield* Effect.sleep("1 minute")
      yield* at("b")(bucket.level)
      expect(ledgers.length).toBe(3)
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps a bucket with attempts under way, and tells it of their ends", () =>
    Effect.gen(function* () {
      const { bucket, ledgers, level } = yield* keyed({ maxKeys: 1, bucket: counting })
      const grant = yield* granted(bucket, "a")
      yield* start(bucket, "a")
      yield* Effect.sleep("10 minutes")
      yield* start(bucket, "b")
      expect(ledgers.length).toBe(2)
      yield* at("a")(bucket.record(abandoned(grant, 2)))
      expect(yield* level("a")).toBe(2)
      // Room for b, but its attempt started with the shared bucket, and ends there.
      yield* Effect.sleep("10 minutes")
      yield* at("b")(bucket.record(succeeded()))
      expect(ledgers.map(({ heard }) => heard.map(({ _tag }) => _tag))).toEqual([["Succeeded"], ["Abandoned"]])
      yield* level("b")
      expect(ledgers.length).toBe(3)
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps a bucket with an attempt under way after an end that came without a start", () =>
    Effect.gen(function* () {
      const { bucket, ledgers } = yield* keyed({ maxKeys: 1, bucket: counting })
      yield* at("a")(bucket.record(succeeded()))
      yield* start(bucket, "a")
      yield* Effect.sleep("10 minutes")
      yield* at("b")(bucket.level)
      expect(ledgers.length).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect("tells the bucket that heard the start even if the one that granted dies of the outcome", () =>
    Effect.gen(function* () {
      let isDying = false
      const dying = Effect.map(counting, (bucket): Bucket => {
        const dies = isDying
        isDying = false
        return { ...bucket, record: (outcome) => (dies ? Effect.dieMessage("record") : bucket.record(outcome)) }
      })
      const { bucket, ledgers } = yield* keyed({ maxKeys: 1, bucket: dying })
      isDying = true
      const grant = yield* granted(bucket, "a")
      yield* Effect.sleep("1 minute")
      yield* at("b")(bucket.level)
      yield* Effect.sleep("1 minute")
      yield* start(bucket, "a")
      const exit = yield* Effect.exit(at("a")(bucket.record(failed(grant, 2))))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ message: "record" })
      expect(ledgers.map(({ heard }) => heard.length)).toEqual([0, 1, 0, 1])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells both the bucket that granted and the one that heard the start, if they are two", () =>
    Effect.gen(function* () {
      const { bucket, ledgers } = yield* keyed({ maxKeys: 1, bucket: counting })
      const grant = yield* granted(bucket, "a")
      yield* Effect.sleep("1 minute")
      yield* at("b")(bucket.level)
      yield* Effect.sleep("1 minute")
      yield* start(bucket, "a")
      yield* at("a")(bucket.record(failed(grant, 2)))
      expect(ledgers.map(({ heard }) => heard.map(({ granted }) => granted.tokens))).toEqual([[], [1], [], [0]])
    }).pipe(VirtualClock.run)
  )

  it.effect("has `started` if the buckets of its keys have it", () =>
    Effect.gen(function* () {
      expect((yield* keyed()).bucket.started).toBe(undefined)
      expect((yield* keyed({ bucket: counting })).bucket.started).not.toBe(undefined)
    })
  )

  it.effect("tells no start to the bucket of a key that does not have `started`", () =>
    Effect.gen(function* () {
      const byKey = Effect.flatMap(TokenBucket.Key, (key) => (key === "a" ? quota : counting))
      const { bucket } = yield* keyed({ bucket: byKey })
      expect(yield* start(bucket, "a")).toBe(undefined)
    })
  )

  it.effect("keeps its bound when keys come at once and buckets take time to make", () =>
    Effect.gen(function* () {
      const slow = Effect.delay(quota, "1 second")
      const { ledgers, level, spend } = yield* keyed({ bucket: slow })
      const keys = Array.from({ length: 20 }, (_, index) => `key-${index % 5}`)
      yield* Effect.forEach(keys, (key) => spend(key), { concurrency: "unbounded" })
      const levels = yield* Effect.forEach(keys.slice(0, 5), level)
      expect(levels.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 6, 6])
      expect(ledgers.reduce((sum, { granted }) => sum + granted, 0)).toBe(18)
    }).pipe(VirtualClock.run)
  )

  it.effect("gives operations of one key that come at once the same bucket, though it takes time to make", () =>
    Effect.gen(function* () {
      const { level, spend } = yield* keyed({ bucket: Effect.delay(quota, "1 second") })
      yield* Effect.all([spend("a"), spend("a")], { concurrency: "unbounded" })
      expect(yield* level("a")).toBe(8)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { sort: "a bucket without started", bucket: quota },
    { sort: "a bucket with started", bucket: counting }
  ])("answers and records in the step of the caller if $sort does", ({ bucket: each }) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.keyed({ bucket: each, maxKeys: 1, idleTimeToLive: "1 minute" })
      const grant = Option.getOrThrow(yield* acquire(bucket))
      const hasEnded = yield* Effect.sync(() =>
        [bucket.record(succeeded(grant, 2)), bucket.acquire(request())].map((asked) =>
          AtOnce.hasEnded(AtOnce.run<unknown>(asked))
        )
      )
      expect(hasEnded).toEqual([true, true])
    })
  )

  it.effect.each<{ readonly does: string; readonly acquire: () => unknown }>([
    { does: "dies", acquire: () => Effect.dieMessage("acquire") },
    { does: "answers nothing", acquire: () => Effect.void },
    { does: "answers nothing later", acquire: () => Effect.yieldNow() },
    { does: "grants no number", acquire: () => Effect.succeedSome({ tokens: NaN }) }
  ])("dies with a bucket that $does, and makes room again for its key", ({ acquire }) =>
    Effect.gen(function* () {
      const dying: Bucket = { ...TokenBucket.unlimited, acquire: acquire as Bucket["acquire"] }
      const { bucket, ledgers } = yield* keyed({ bucket: Effect.succeed(dying), maxKeys: 1 })
      const exit = yield* Effect.exit(at("a")(isGranted(bucket)))
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
      yield* Effect.sleep("1 minute")
      yield* at("b")(bucket.level)
      expect(ledgers.length).toBe(3)
    }).pipe(VirtualClock.run)
  )

  it.prop(
    "behaves for a single key like a bucket without keys",
    [bucket, moves],
    ([make, moves]) => {
      const keyed = TokenBucket.keyed({ bucket: make, maxKeys: 1, idleTimeToLive: 1 })
      expect(traceOf(keyed, moves)).toEqual(traceOf(make, moves))
    },
    law(60)
  )

  it.prop(
    "makes at most (maxKeys + 1) * (1 + t / idleTimeToLive) buckets",
    [
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ key: fc.constantFrom(..."abcdefgh"), passes: fc.nat(30) }), { maxLength: 200, size: "max" })
    ],
    ([maxKeys, uses]) => {
      const clock = SteppedClock.make()
      const { ledgers, spend } = clock.run(keyed({ maxKeys, idleTimeToLive: "50 millis" }))
      for (const { key, passes } of uses) {
        clock.advance(passes)
        clock.run(spend(key))
        const most = (maxKeys + 1) * (1 + clock.passedMillis() / 50)
        if (ledgers.length > most) expect(ledgers.length).toBeLessThanOrEqual(most)
      }
    },
    law(30)
  )

  it.each([
    { field: "maxKeys", options: { maxKeys: 0 }, says: "maxKeys must be a whole number >= 1, got 0" },
    {
      field: "idleTimeToLive",
      options: { idleTimeToLive: 0 },
      says: "idleTimeToLive must be a finite duration >= 1ms, got 0"
    }
  ])("refuses a bad $field", ({ options, says }) => {
    const make = () => TokenBucket.keyed({ bucket: quota, maxKeys: 1, idleTimeToLive: 1_000, ...options })
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(`TokenBucket.keyed: ${says}`)
  })

  const limits = { maxKeys: 2, idleTimeToLive: Duration.minutes(1) }
  TokenBucketContract.suite(vitest, "keyed quotas", TokenBucket.keyed({ bucket: quota, ...limits }))
  TokenBucketContract.suite(vitest, "keyed limits of concurrency", TokenBucket.keyed({ bucket: counting, ...limits }), {
    returns: true
  })
  TokenBucketContract.suite(
    vitest,
    "keyed buckets that wait",
    TokenBucket.keyed({ bucket: RateLimiter.fixed({ rate: 10, burst: 10 }), ...limits }),
    { capacity: 11, waits: true, refills: true }
  )
})

describe("TokenBucket.Key", () => {
  it("is empty unless it is set", () => {
    expect(Context.get(Context.empty(), TokenBucket.Key)).toBe("")
    // What a context answers it may have remembered.
    expect(TokenBucket.Key.defaultValue()).toBe("")
  })

  it.effect("is the same for another copy of the package", () => {
    class Copy extends Context.Reference<Copy>()("@effect-retry/core/Key", { defaultValue: () => "" }) {}
    return Effect.gen(function* () {
      expect(yield* Effect.provideService(TokenBucket.Key, Copy, "a")).toBe("a")
    })
  })
})
