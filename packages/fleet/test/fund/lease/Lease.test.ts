import { TokenBucket } from "@effect-retry/core"
import * as AtOnce from "@effect-retry/core/unstable/AtOnce"
import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Exit, Fiber, FiberId, FastCheck, Option, Scope } from "effect"
import { request } from "../../../../core/test/fund/Asking.ts"
import { interruptedBefore } from "../../../../core/test/fund/Interrupting.ts"
import * as Fleet from "../../../src/fund/fleet/FleetBucket.ts"
import type { FleetEvent } from "../../../src/fund/fleet/FleetEvent.ts"
import * as Lease from "../../../src/fund/lease/Lease.ts"
import * as SpecStore from "../../SpecStore.ts"
import {
  ask,
  begin,
  drawing,
  ended,
  fleetOf,
  grants,
  inVirtualTime,
  isGranted,
  makeNetwork,
  settled,
  throwingStore
} from "../bucket/Shared.ts"
import type { StoreError } from "../bucket/Shared.ts"

interface Options extends Partial<Fleet.FleetOptions> {
  readonly burst?: number
  readonly perSecond?: number
  /** What the dearest attempt costs. @default the burst */
  readonly dearest?: number
  /** `None` for a bucket that refuses. */
  readonly maxWait?: Option.Option<number>
}

/** A lease of which each attempt costs what is asked for; its store is the test's. */
const leaseIn = <E>(store: SpecStore.SpecStore<E>, options: Options = {}) =>
  Effect.map(
    Lease.make<E | StoreError>({
      fleet: fleetOf(store),
      settings: Fleet.check("test", { name: "orders", ...options }, [
        "leaseShare",
        "burst",
        "perSecond",
        "maxWait",
        "dearest"
      ]),
      limits: { burst: options.burst ?? 200, perSecond: options.perSecond ?? 10 },
      maxWait: options.maxWait ?? Option.none(),
      dearest: options.dearest ?? options.burst ?? 200
    }),
    (lease) => ({ ...lease, costing: (cost: number) => bucketOf(lease, cost), bucket: bucketOf(lease, 1) })
  )

const bucketOf = <E>({ acquire, level }: Lease.Lease<E>, cost: number): TokenBucket.TokenBucket<E> => ({
  acquire: (request) => acquire(cost, request),
  record: () => Effect.void,
  level
})

const waiting = Option.some(Infinity)

const wants = (store: SpecStore.SpecStore<unknown>) =>
  store.calls.flatMap((call) => (call._tag === "take" ? [call.want] : []))

const puts = (store: SpecStore.SpecStore<unknown>) =>
  store.calls.flatMap((call) => (call._tag === "put" ? [call.tokens] : []))

const second = Effect.sleep("1 second")

const nowMillis = Effect.clockWith((clock) => Effect.map(clock.currentTimeMillis, (millis) => millis))

class Operation extends Context.Reference<Operation>()("operation", { defaultValue: () => "none" }) {}

describe("Lease.acquire", () => {
  it.effect("answers in the step of the caller out of a lease, and while a refusal holds", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { bucket, costing } = yield* leaseIn(store, { perSecond: 0.001 })
      yield* grants(bucket, 6)
      const granted = yield* Effect.sync(() => AtOnce.run(bucket.acquire(request())))
      yield* isGranted(costing(200))
      const refused = yield* Effect.sync(() => AtOnce.run(costing(200).acquire(request())))
      expect([AtOnce.hasEnded(granted), AtOnce.hasEnded(refused)]).toEqual([true, true])
      expect([Option.isSome(yield* granted), Option.isSome(yield* refused)]).toEqual([true, false])
    }).pipe(inVirtualTime)
  )

  it.effect("gives the tokens of a grant back once, however often it is refunded", () =>
    Effect.gen(function* () {
      const { bucket, level } = yield* leaseIn(SpecStore.make(), { perSecond: 0.001 })
      const [first, second] = [yield* ask(bucket), yield* ask(bucket)]
      const { refund } = Option.getOrThrow(first)
      yield* refund
      yield* refund
      expect(yield* level).toBeCloseTo(199, 2)
      yield* Option.getOrThrow(second).refund
      expect(yield* level).toBeCloseTo(200, 2)
    }).pipe(inVirtualTime)
  )

  it.effect("takes no more than it needs when a call a minute is made", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { bucket } = yield* leaseIn(store)
      for (let minute = 0; minute < 5; minute++) {
        yield* Effect.sleep("1 minute")
        yield* isGranted(bucket)
      }
      yield* Effect.sleep("1 minute")
      expect(store.calls.map(({ _tag }) => _tag)).toEqual(["take", "take", "take", "take", "take"])
      expect(wants(store)).toEqual([1, 1, 1, 1, 1])
    }).pipe(inVirtualTime)
  )

  it.effect.each([
    { leaseShare: 0, expected: [2.5, 2.5, 2.5, 2.5] },
    { leaseShare: 0.001, expected: [2.5, 2.5, 2.5, 2.5] },
    { leaseShare: 0.05, expected: [2.5, 4, 10] },
    { leaseShare: 1, expected: [2.5, 4, 16] }
  ])("holds at most $leaseShare of the burst", ({ expected, leaseShare }) =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { costing } = yield* leaseIn(store, { leaseShare })
      yield* grants(costing(2.5), 4)
      expect(wants(store)).toEqual(expected)
    }).pipe(inVirtualTime)
  )

  it.effect("makes one call of the store at a time, and a return before a question", () =>
    Effect.gen(function* () {
      const { hold, open, store } = yield* makeNetwork
      const { costing, level } = yield* leaseIn(store, { leaseShare: 0 })
      const granted = Option.getOrThrow(yield* ask(costing(15)))
      yield* second
      yield* hold
      const reading = [yield* begin(level), yield* begin(level)]
      yield* begin(granted.refund)
      const asking = yield* begin(ask(costing(20)))
      expect(store.calls.map(({ _tag }) => _tag)).toEqual(["take", "level"])
      yield* open
      expect([yield* Fiber.joinAll(reading), yield* ended(asking)]).toEqual([[200, 200], true])
      expect(store.calls.map(({ _tag }) => _tag)).toEqual(["take", "level", "put", "take"])
    }).pipe(inVirtualTime)
  )

  it.effect("fails an attempt that waits for a return as the return does", () =>
    Effect.gen(function* () {
      const store = SpecStore.make<StoreError>((decide, { _tag }) =>
        _tag === "put" ? Effect.delay(Effect.fail("away"), 700) : decide
      )
      const { bucket, costing } = yield* leaseIn(store, { leaseShare: 0 })
      yield* Option.getOrThrow(yield* ask(costing(15))).refund
      expect([yield* Effect.exit(ask(bucket)), yield* nowMillis]).toEqual([Exit.fail("away"), 700])
    }).pipe(inVirtualTime)
  )

  it.effect("keeps the tokens that come for an attempt that is interrupted while it waits", () =>
    Effect.gen(function* () {
      const { hold, open, store } = yield* makeNetwork
      const { bucket, costing, level } = yield* leaseIn(store)
      yield* hold
      const first = yield* begin(ask(costing(7)))
      const next = yield* begin(ask(costing(3)))
      yield* Fiber.interruptFork(first)
      yield* settled
      expect([yield* ended(first), yield* ended(next)]).toEqual([true, false])
      yield* open
      expect([yield* ended(next), yield* level]).toEqual([true, 197])
      expect(yield* grants(bucket, 4)).toBe(4)
      expect(wants(store)).toEqual([7])
    }).pipe(inVirtualTime)
  )

  it.effect("keeps a lease of the tokens that come for interrupted attempts, and returns the rest", () =>
    Effect.gen(function* () {
      const { fail, hold, open, store } = yield* makeNetwork
      const { bucket, costing } = yield* leaseIn(store, { perSecond: 0.001 })
      yield* hold
      yield* Fiber.interrupt(yield* begin(ask(costing(150))))
      yield* open
      yield* fail
      expect(yield* grants(bucket, 20)).toBe(20)
      expect(yield* Effect.exit(ask(bucket))).toEqual(Exit.fail("away"))
      yield* open
      yield* second
      expect(puts(store)).toEqual([130])
    }).pipe(inVirtualTime)
  )

  it.effect("loses nothing to an attempt that is interrupted at any step", () =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.zipRight(Effect.yieldNow(), decide))
      const { costing, level } = yield* leaseIn(store, { perSecond: 0.001 })
      yield* level
      let spent = 0
      // Within the part that cannot be interrupted, as the loop does.
      const acquire = Effect.uninterruptibleMask((restore) =>
        Effect.map(costing(1.5).acquire(request({ restore })), (granted) => {
          if (Option.isSome(granted)) spent += 1.5
        })
      )
      for (let step = 1, steps = step; step <= steps; step++) {
        steps = 1 + (yield* interruptedBefore(step, acquire)).steps
        yield* settled
        expect(yield* level).toBeCloseTo(200 - spent, 3)
      }
      expect(spent).toBeGreaterThan(0)
    }).pipe(inVirtualTime)
  )

  it.effect("fails an attempt that may not wait until the store answers, and keeps the answer", () =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.delay(decide, "300 millis"))
      const { bucket } = yield* leaseIn(store)
      const asked = yield* Effect.exit(ask(bucket, { atMostMillis: 100 }))
      expect([asked, yield* nowMillis]).toEqual([Exit.fail("timed out"), 100])
      yield* Effect.sleep("200 millis")
      expect(yield* isGranted(bucket, { atMostMillis: 0 })).toBe(true)
      expect(store.calls).toHaveLength(1)
    }).pipe(inVirtualTime)
  )

  it.effect("awaits one answer for an attempt that has no time to wait for tokens", () =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.delay(decide, "300 millis"))
      const { bucket, costing } = yield* leaseIn(store, { maxWait: waiting, burst: 4, perSecond: 0.001 })
      expect(yield* isGranted(costing(3), { atMostMillis: 0 })).toBe(true)
      yield* Effect.sleep("10 millis")
      expect(yield* isGranted(bucket, { atMostMillis: 0 })).toBe(true)
      expect(yield* isGranted(costing(3), { atMostMillis: 0 })).toBe(false)
      expect(store.calls).toHaveLength(3)
    }).pipe(inVirtualTime)
  )
})

describe("Lease.acquire after a refusal", () => {
  it.effect("waits twice as long after each refusal in a row, but not until a quarter of the burst has come in", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const [mine, theirs] = [yield* leaseIn(store, { burst: 16 }), yield* leaseIn(store, { burst: 16 })]
      yield* ask(theirs.costing(16))
      const asked: Array<number> = []
      for (let millis = 0; millis < 4000; millis += 50) {
        const calls = store.calls.length
        yield* isGranted(mine.bucket)
        if (store.calls.length > calls) asked.push(millis)
        // Others take every token as soon as it is there.
        yield* Effect.sleep("25 millis")
        yield* SpecStore.drain(store, "orders", { burst: 16, perSecond: 10 })
        yield* Effect.sleep("25 millis")
      }
      expect(asked).toEqual([0, 100, 250, 550, 950, 1350, 1750, 2150, 2550, 2950, 3350, 3750])
    }).pipe(drawing(0), inVirtualTime)
  )

  it.effect("waits as after the first refusal when the store had enough for as long as the latest pause was", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { bucket } = yield* leaseIn(store, { burst: 16 })
      const asks = (millis: number) =>
        Effect.gen(function* () {
          yield* Effect.sleep(millis)
          yield* SpecStore.drain(store, "orders", { burst: 16, perSecond: 10 })
          const calls = store.calls.length
          yield* isGranted(bucket)
          return store.calls.length > calls
        })
      // Pauses of 100 and of 200 ms, and then of 100 ms again.
      expect([yield* asks(0), yield* asks(150), yield* asks(150), yield* asks(1000), yield* asks(150)]).toEqual([
        true,
        true,
        false,
        true,
        true
      ])
    }).pipe(drawing(0), inVirtualTime)
  )

  it.effect("still asks for the tokens that the store is known to have", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { costing } = yield* leaseIn(store, { burst: 19, leaseShare: 0 })
      expect([yield* isGranted(costing(14)), yield* isGranted(costing(14))]).toEqual([true, false])
      expect([yield* isGranted(costing(6)), yield* isGranted(costing(5)), yield* isGranted(costing(1))]).toEqual([
        false,
        true,
        false
      ])
      expect(wants(store)).toEqual([14, 14, 5])
    }).pipe(inVirtualTime)
  )

  it.effect.each([
    { attempts: "are refused", maxWait: Option.none<number>(), granted: false },
    { attempts: "wait", maxWait: waiting, granted: true }
  ])("pauses as told when the store lacks less than its level shows, and attempts $attempts", ({ granted, maxWait }) =>
    Effect.gen(function* () {
      const spec = SpecStore.make()
      let questions = 0
      // A store counts whole microseconds, and a part of one as a whole.
      const take: typeof spec.take = (_key, _limits, want, least) =>
        Effect.sync(() => {
          questions += 1
          return questions === 2
            ? { granted: 0, retryAfterMillis: 1, level: least }
            : { granted: want, retryAfterMillis: 0, level: 0 }
        })
      const { bucket } = yield* leaseIn({ ...spec, take }, { leaseShare: 0, dearest: 1, maxWait })
      yield* isGranted(bucket)
      const before = yield* nowMillis
      expect([yield* isGranted(bucket), questions]).toEqual([granted, granted ? 3 : 2])
      expect((yield* nowMillis) > before).toBe(granted)
    }).pipe(inVirtualTime)
  )

  it.effect("asks again as soon as a refund makes up for what the store lacks", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { costing } = yield* leaseIn(store, { burst: 19, leaseShare: 0, perSecond: 0.001 })
      const [first, second] = [yield* ask(costing(14)), yield* ask(costing(14))]
      expect(Option.isNone(second)).toBe(true)
      yield* Option.getOrThrow(first).refund
      expect(yield* isGranted(costing(19))).toBe(true)
      expect([wants(store), puts(store)]).toEqual([[14, 14, 19], [14]])
    }).pipe(inVirtualTime)
  )

  it.effect("serves a waiting attempt from a refund, and refunds no more than was granted", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { costing } = yield* leaseIn(store, { burst: 10, perSecond: 0.001, maxWait: waiting })
      const first = yield* ask(costing(10))
      const next = yield* begin(ask(costing(4)))
      expect(yield* ended(next)).toBe(false)
      yield* Option.getOrThrow(first).refund
      yield* settled
      expect(yield* ended(next)).toBe(true)
      expect([yield* isGranted(costing(5)), yield* isGranted(costing(2), { atMostMillis: 0 })]).toEqual([true, false])
    }).pipe(inVirtualTime)
  )
})

describe("Lease.acquire of a bucket that waits", () => {
  it.effect("grants what time brings, and no more", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { bucket } = yield* leaseIn(store, { burst: 5, maxWait: waiting })
      const granted: Array<number> = []
      yield* Effect.forEach(
        Array.from({ length: 65 }),
        () =>
          Effect.zipRight(
            ask(bucket),
            Effect.tap(nowMillis, (millis) => granted.push(millis))
          ),
        { concurrency: "unbounded" }
      )
      expect(granted.filter((millis) => millis === 0)).toHaveLength(5)
      for (const [index, millis] of granted.entries()) expect(millis).toBeGreaterThanOrEqual((index - 4) * 100)
      // The factor of a refusal costs nothing: the tokens come in meanwhile.
      expect(granted.at(-1)).toBeLessThanOrEqual(6000 + 150)
    }).pipe(inVirtualTime)
  )

  it.effect("refuses at once an attempt whose tokens come too late, by time and by those that wait before it", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { bucket, costing } = yield* leaseIn(store, { burst: 10, maxWait: waiting })
      yield* ask(costing(10))
      expect(yield* isGranted(bucket, { atMostMillis: 99 })).toBe(false)
      const first = yield* begin(isGranted(costing(10), { atMostMillis: 1001 }))
      expect(yield* isGranted(bucket, { atMostMillis: 1099 })).toBe(false)
      expect(yield* nowMillis).toBe(0)
      expect(yield* isGranted(bucket, { atMostMillis: 1101 })).toBe(true)
      expect([yield* Fiber.join(first), yield* nowMillis]).toEqual([true, 1100])
    }).pipe(drawing(0), inVirtualTime)
  )

  it.effect("lets no attempt pass one that waits, even when the process holds enough for it", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { bucket, costing } = yield* leaseIn(store, { burst: 10, maxWait: waiting })
      const granted = yield* ask(costing(3))
      yield* ask(costing(7))
      const first = yield* begin(ask(costing(10)))
      yield* Option.getOrThrow(granted).refund
      const next = yield* begin(ask(bucket))
      expect([yield* ended(first), yield* ended(next)]).toEqual([false, false])
      yield* Fiber.join(first)
      yield* Fiber.join(next)
    }).pipe(inVirtualTime)
  )

  it.effect("refuses an attempt whose time is over, and goes on with those behind it", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const [mine, theirs] = [
        yield* leaseIn(store, { burst: 10, maxWait: waiting }),
        yield* leaseIn(store, { burst: 10, maxWait: waiting })
      ]
      yield* ask(theirs.costing(10))
      const first = yield* begin(isGranted(mine.costing(10), { atMostMillis: 1000 }))
      const next = yield* begin(isGranted(mine.bucket))
      yield* Effect.sleep("950 millis")
      yield* SpecStore.drain(store, "orders", { burst: 10, perSecond: 10 })
      expect([yield* Fiber.join(first), yield* nowMillis]).toEqual([false, 1000])
      // What the first one gathered goes to the next one and, beyond a lease, back.
      expect([yield* Fiber.join(next), yield* nowMillis]).toEqual([true, 1000])
      yield* settled
      expect(puts(store)).toEqual([5.5])
    }).pipe(drawing(0), inVirtualTime)
  )

  it.effect("refuses an attempt that the store has answered once, when its time ends within a later question", () =>
    Effect.gen(function* () {
      const { hold, open, store } = yield* makeNetwork
      const { costing } = yield* leaseIn(store, { burst: 10, maxWait: waiting })
      yield* ask(costing(10))
      const asking = yield* begin(isGranted(costing(5), { atMostMillis: 1000 }))
      yield* hold
      expect([yield* Fiber.join(asking), yield* nowMillis]).toEqual([false, 1000])
      expect(wants(store)).toEqual([10, 5, 5])
      yield* open
    }).pipe(drawing(0), inVirtualTime)
  )

  it.effect("refuses an attempt without time to wait at once, when a call ends while a refusal holds", () =>
    Effect.gen(function* () {
      const { hold, open, store } = yield* makeNetwork
      const { bucket, costing, level } = yield* leaseIn(store, { burst: 10, perSecond: 0.1, maxWait: waiting })
      yield* ask(costing(10))
      expect(yield* isGranted(bucket, { atMostMillis: 0 })).toBe(false)
      yield* second
      yield* hold
      yield* begin(level)
      const asking = yield* begin(isGranted(bucket, { atMostMillis: 0 }))
      expect(yield* ended(asking)).toBe(false)
      yield* open
      expect([yield* Fiber.join(asking), yield* nowMillis]).toEqual([false, 1000])
    }).pipe(drawing(0), inVirtualTime)
  )

  it.effect("gathers the cost of an attempt in parts, from one token on, and pauses as for the dearest one", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const mine = yield* leaseIn(store, { burst: 40, dearest: 5, maxWait: waiting })
      yield* ask(mine.costing(38))
      const asking = yield* begin(ask(mine.costing(4)))
      expect(yield* ended(asking)).toBe(false)
      yield* Effect.sleep("2 seconds")
      expect([yield* ended(asking), wants(store)]).toEqual([true, [38, 4, 2]])
      expect(store.calls.flatMap((call) => (call._tag === "take" ? [call.least] : []))).toEqual([1, 1, 1])
      // Two tokens were there; then it paused for five, as after two refusals, but not for more than a quarter of the burst.
      expect(Option.isSome(yield* Fiber.join(asking))).toBe(true)
    }).pipe(drawing(0), inVirtualTime)
  )

  it.effect("returns the tokens that an attempt has gathered when it is interrupted, except for a lease", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { costing } = yield* leaseIn(store, { burst: 40, perSecond: 0.001, maxWait: waiting })
      yield* ask(costing(10))
      const asking = yield* begin(ask(costing(40)))
      yield* Fiber.interruptFork(asking)
      yield* settled
      expect([wants(store), puts(store)]).toEqual([[10, 40], [26]])
    }).pipe(inVirtualTime)
  )

  it.effect("takes no part for an attempt that has no time to wait", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { costing } = yield* leaseIn(store, { burst: 40, perSecond: 0.001, maxWait: waiting })
      yield* ask(costing(10))
      expect(yield* isGranted(costing(40), { atMostMillis: 0 })).toBe(false)
      expect(store.calls.at(-1)).toEqual({ _tag: "take", key: "orders", want: 40, least: 40 })
    }).pipe(inVirtualTime)
  )

  it.effect("keeps the tokens of an attempt that is interrupted before it runs on", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { bucket, costing } = yield* leaseIn(store, {
        burst: 10,
        leaseShare: 1,
        perSecond: 0.001,
        maxWait: waiting
      })
      const granted = Option.getOrThrow(yield* ask(costing(10)))
      const asking = yield* begin(ask(costing(4)))
      yield* Effect.zipRight(granted.refund, Fiber.interruptAsFork(asking, FiberId.none))
      yield* settled
      expect(Exit.isInterrupted(yield* Fiber.await(asking))).toBe(true)
      expect(yield* grants(bucket, 11, { atMostMillis: 0 })).toBe(10)
    }).pipe(inVirtualTime)
  )
})

describe("Lease with a store that fails", () => {
  it.effect("fails all that wait for the answer, and asks again for the next one", () =>
    Effect.gen(function* () {
      const { fail, hold, open, store } = yield* makeNetwork
      const { bucket } = yield* leaseIn(store)
      yield* grants(bucket, 5)
      const before = store.calls.length
      yield* fail
      const exits = yield* Effect.forEach([1, 2, 3], () => Effect.exit(ask(bucket)), { concurrency: "unbounded" })
      expect(exits).toEqual([Exit.fail("away"), Exit.fail("away"), Exit.fail("away")])
      yield* open
      expect(yield* isGranted(bucket)).toBe(true)
      yield* hold
      // After a failure the lease begins with one token again.
      expect(wants(store).slice(before)).toEqual([16, 1])
    }).pipe(inVirtualTime)
  )

  it.effect("begins with a lease of one token after a failure, and lets it grow by four", () =>
    Effect.gen(function* () {
      const { fail, open, store } = yield* makeNetwork
      const { bucket, costing } = yield* leaseIn(store)
      yield* grants(bucket, 6)
      yield* fail
      expect(yield* Effect.exit(ask(costing(30)))).toEqual(Exit.fail("away"))
      yield* open
      expect(yield* grants(bucket, 16)).toBe(16)
      expect(wants(store)).toEqual([1, 4, 16, 20, 4])
    }).pipe(inVirtualTime)
  )

  it.effect.each([
    { store: "hangs", call: Effect.delay(Effect.fail("away"), 700), expected: Exit.fail("away"), millis: 700 },
    { store: "dies", call: Effect.die("broken"), expected: Exit.die("broken"), millis: 0 },
    { store: "interrupts itself", call: Effect.interrupt, expected: Exit.fail("timed out"), millis: 0 }
  ])("fails as a store does that $store", ({ call, expected, millis }) =>
    Effect.gen(function* () {
      const store = SpecStore.make(() => call)
      const { bucket, level } = yield* leaseIn(store)
      expect(yield* Effect.exit(ask(bucket))).toEqual(expected)
      expect(yield* nowMillis).toBe(millis)
      expect(yield* Effect.exit(level)).toEqual(expected)
      expect(yield* nowMillis).toBe(2 * millis)
    }).pipe(inVirtualTime)
  )

  it.effect("fails an attempt for which the store throws, and goes on with the next one", () =>
    Effect.gen(function* () {
      const { breakDown, mend, store, thrown } = throwingStore()
      const scope = yield* Scope.make()
      const { bucket, costing, level } = yield* Scope.extend(leaseIn(store, { perSecond: 0.001 }), scope)
      breakDown()
      expect(yield* Effect.exit(ask(bucket))).toEqual(Exit.die(thrown))
      expect(yield* Effect.exit(level)).toEqual(Exit.die(thrown))
      mend()
      const granted = Option.getOrThrow(yield* ask(costing(100)))
      breakDown()
      yield* granted.refund
      yield* settled
      mend()
      expect(yield* isGranted(costing(100))).toBe(true)
      breakDown()
      yield* Scope.close(scope, Exit.void)
      expect(yield* nowMillis).toBe(0)
    }).pipe(inVirtualTime)
  )

  it.effect("forgets a refusal when a later call fails, so that a fallback is asked", () =>
    Effect.gen(function* () {
      const { fail, store } = yield* makeNetwork
      const { costing } = yield* leaseIn(store, { burst: 20, leaseShare: 0, perSecond: 0.001 })
      const granted = Option.getOrThrow(yield* ask(costing(10)))
      expect(yield* isGranted(costing(15))).toBe(false)
      yield* fail
      expect(yield* isGranted(costing(15))).toBe(false)
      yield* granted.refund
      yield* settled
      expect(yield* Effect.exit(ask(costing(15)))).toEqual(Exit.fail("away"))
    }).pipe(inVirtualTime)
  )

  it.effect("spends the tokens that it holds", () =>
    Effect.gen(function* () {
      const { fail, store } = yield* makeNetwork
      const { bucket } = yield* leaseIn(store)
      yield* grants(bucket, 6)
      yield* fail
      expect(yield* grants(bucket, 15)).toBe(15)
      expect(yield* Effect.exit(ask(bucket))).toEqual(Exit.fail("away"))
    }).pipe(inVirtualTime)
  )
})

describe("Lease.returns", () => {
  it.effect("keeps a lease of refunds, and returns the rest at once and in one batch while a call is under way", () =>
    Effect.gen(function* () {
      const { hold, open, store } = yield* makeNetwork
      const { bucket, costing } = yield* leaseIn(store, { perSecond: 0.001, leaseShare: 0.005 })
      const granted = yield* Effect.replicateEffect(ask(costing(15)), 5)
      yield* hold
      for (const one of granted) yield* Option.getOrThrow(one).refund
      yield* settled
      yield* open
      expect(puts(store)).toEqual([14, 60])
      expect([yield* grants(bucket, 1), wants(store).length]).toEqual([1, 5])
    }).pipe(inVirtualTime)
  )

  it.effect("keeps a lease of what the fleet earns, and returns the rest late", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { bucket, costing, credit } = yield* leaseIn(store, { perSecond: 0.001 })
      yield* ask(costing(100))
      for (const tokens of [50, 100]) yield* credit(tokens)
      yield* Effect.sleep("500 millis")
      yield* isGranted(bucket)
      expect(store.calls).toHaveLength(1)
      yield* Effect.sleep("2 seconds")
      expect(puts(store)).toEqual([expect.closeTo(80, 1), 19])
    }).pipe(inVirtualTime)
  )

  it.effect("knows what the store has after a return, and takes no refund after the end", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const scope = yield* Scope.make()
      const { costing, level } = yield* Scope.extend(leaseIn(store, { leaseShare: 0, perSecond: 0.001 }), scope)
      const [first, next] = [yield* ask(costing(15)), yield* ask(costing(20))]
      yield* Option.getOrThrow(first).refund
      yield* settled
      expect(yield* level).toBeCloseTo(180, 5)
      yield* Scope.close(scope, Exit.void)
      yield* Option.getOrThrow(next).refund
      yield* settled
      expect([yield* level, store.calls.map(({ _tag }) => _tag)]).toEqual([
        expect.closeTo(180, 5),
        ["take", "take", "put"]
      ])
    }).pipe(inVirtualTime)
  )

  it.effect("holds nothing without a lease", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const { costing } = yield* leaseIn(store, { leaseShare: 0, burst: 10 })
      yield* ask(costing(7.5))
      const [whole, part] = [yield* begin(ask(costing(2))), yield* begin(ask(costing(4)))]
      expect([yield* ended(whole), yield* ended(part)]).toEqual([true, true])
      const granted = yield* Fiber.join(whole)
      yield* Option.getOrThrow(granted).refund
      yield* settled
      expect(puts(store)).toEqual([2])
    }).pipe(inVirtualTime)
  )

  it.effect.each([
    { store: "is away", make: SpecStore.make<StoreError>(() => Effect.fail("away")), millis: 0 },
    { store: "hangs", make: SpecStore.make<StoreError>(() => Effect.delay(Effect.fail("away"), 700)), millis: 700 }
  ])("ends with its scope even if the store $store", ({ make, millis }) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { acquire } = yield* Scope.extend(leaseIn(make), scope)
      yield* begin(ask({ acquire: (request) => acquire(1, request) }))
      yield* begin(Scope.close(scope, Exit.void)).pipe(Effect.flatMap(Fiber.join))
      expect(yield* nowMillis).toBe(millis)
    }).pipe(inVirtualTime)
  )

  it.effect("keeps nothing of the operation for which it was made", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const store = SpecStore.make((decide) =>
        Effect.tap(
          decide,
          Effect.map(Operation, (name) => seen.push(name))
        )
      )
      const scope = yield* Scope.make()
      const { bucket } = yield* Effect.provideService(Scope.extend(leaseIn(store), scope), Operation, "the first")
      yield* grants(bucket, 6)
      yield* Scope.close(scope, Exit.void)
      expect([puts(store).length, new Set(seen)]).toEqual([1, new Set(["none"])])
    }).pipe(inVirtualTime)
  )

  it.effect("loses tokens that a store does not take back", () =>
    Effect.gen(function* () {
      const { fail, open, store } = yield* makeNetwork
      const { bucket, level } = yield* leaseIn(store, { perSecond: 0.001 })
      yield* grants(bucket, 6)
      yield* fail
      yield* Effect.sleep("2100 millis")
      yield* open
      expect(yield* level).toBeCloseTo(200 - 21, 1)
      expect(puts(store)).toEqual([15])
    }).pipe(inVirtualTime)
  )
})

describe("Lease.level", () => {
  it.effect("is what the store had and the process holds, and asks when the answer is a second old", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const [mine, theirs] = [yield* leaseIn(store), yield* leaseIn(store)]
      const questions = () => store.calls.filter(({ _tag }) => _tag === "level").length
      expect([yield* mine.level, questions()]).toEqual([200, 1])
      yield* ask(mine.costing(50))
      expect([yield* mine.level, questions()]).toEqual([150, 1])
      yield* ask(theirs.costing(100))
      yield* Effect.sleep("900 millis")
      expect([yield* mine.level, questions()]).toEqual([159, 1])
      yield* Effect.sleep("100 millis")
      const levels = yield* Effect.all([mine.level, mine.level], { concurrency: 2 })
      expect([levels, questions()]).toEqual([[60, 60], 2])
    }).pipe(inVirtualTime)
  )
})

describe("Lease.observers", () => {
  it.effect("tell of questions, returns and absences of the store", () =>
    Effect.gen(function* () {
      const { fail, open, store } = yield* makeNetwork
      const events: Array<FleetEvent> = []
      const { bucket, costing } = yield* leaseIn(store, {
        burst: 20,
        leaseShare: 1,
        observe: [(event) => Effect.sync(() => events.push(event)), () => Effect.die("broken"), () => Effect.never]
      })
      yield* grants(bucket, 2)
      yield* isGranted(costing(18))
      yield* Effect.sleep("2 seconds")
      yield* fail
      yield* Effect.exit(ask(costing(20)))
      yield* Effect.exit(ask(costing(20)))
      yield* second
      yield* open
      yield* isGranted(costing(20))
      yield* settled
      const common = { name: "orders" }
      expect(new Set(events.map((event) => event.key))).toEqual(new Set(["eu"]))
      expect(events).toEqual([
        {
          ...common,
          _tag: "Asked",
          level: 19,
          held: 0,
          grants: 1,
          want: 1,
          granted: 1,
          retryAfter: Duration.zero,
          leaseSize: 1
        },
        {
          ...common,
          _tag: "Asked",
          level: 15,
          held: 3,
          grants: 1,
          want: 4,
          granted: 4,
          retryAfter: Duration.zero,
          leaseSize: 4
        },
        {
          ...common,
          _tag: "Asked",
          level: 0,
          held: 0,
          grants: 1,
          want: 16,
          granted: 15,
          retryAfter: expect.anything(),
          leaseSize: 16
        },
        {
          ...common,
          _tag: "StoreAway",
          level: 20,
          held: 0,
          grants: 0,
          error: expect.objectContaining({ original: "away" })
        },
        { ...common, _tag: "StoreBack", level: 20, held: 0, grants: 0, after: Duration.seconds(1) },
        {
          ...common,
          _tag: "Asked",
          level: 0,
          held: 0,
          grants: 1,
          want: 20,
          granted: 20,
          retryAfter: Duration.zero,
          leaseSize: 1
        }
      ])
      expect(store.calls[0]).toEqual({ _tag: "take", key: "orders:eu", want: 1, least: 1 })
    }).pipe(drawing(0), Effect.provideService(TokenBucket.Key, "eu"), inVirtualTime)
  )
})

describe("an observer that hangs", () => {
  it.effect("is skipped while sixteen of its calls have not ended, and hears of later events", () =>
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      let [begun, ended] = [0, 0]
      const observe = () =>
        Effect.sync(() => (begun += 1)).pipe(
          Effect.zipRight(Deferred.await(opened)),
          Effect.map(() => void (ended += 1))
        )
      const { bucket } = yield* leaseIn(SpecStore.make(), { leaseShare: 0, observe: [observe] })
      yield* grants(bucket, 40)
      yield* settled
      expect(begun).toBe(16)
      yield* Deferred.succeed(opened, undefined)
      yield* settled
      yield* grants(bucket, 1)
      yield* settled
      expect([begun, ended]).toEqual([17, 17])
    }).pipe(inVirtualTime)
  )
})

describe("leases of a fleet", () => {
  const attempt = FastCheck.record({
    client: FastCheck.integer({ min: 0, max: 2 }),
    cost: FastCheck.constantFrom(1, 1, 2.5),
    pauseMillis: FastCheck.constantFrom(10, 10, 40, 300, 1500),
    ending: FastCheck.constantFrom("spend", "spend", "refund at once", "refund late")
  })

  /** A client, and what it has: taken and not put, spent and not refunded. */
  const clientOf = (store: SpecStore.SpecStore<never>, options: Options) =>
    Effect.gen(function* () {
      const has = { tokens: 0 }
      const lease = yield* leaseIn(
        {
          ...store,
          take: (...asked) => Effect.tap(store.take(...asked), ({ granted }) => void (has.tokens += granted)),
          put: (key, limits, tokens) =>
            Effect.suspend(() => {
              has.tokens -= tokens
              return store.put(key, limits, tokens)
            })
        },
        options
      )
      return { ...lease, has }
    })

  it.effect.prop(
    "hold a share of the burst each, and grant in any window no more than the burst, the refill and these shares",
    [FastCheck.array(attempt, { minLength: 60, maxLength: 120 }), FastCheck.constantFrom(0, 0.2)],
    ([attempts, leaseShare]) =>
      Effect.gen(function* () {
        const store = SpecStore.make((decide) => Effect.delay(decide, "2 millis"))
        const limits = { burst: 30, perSecond: 20 }
        const lease = leaseShare * limits.burst
        const clients = yield* Effect.replicateEffect(clientOf(store, { ...limits, leaseShare }), 3)
        const spent: Array<readonly [millis: number, tokens: number]> = []
        for (const { client, cost, ending, pauseMillis } of attempts) {
          const { costing, has } = clients[client]!
          yield* Effect.sleep(pauseMillis)
          expect(has.tokens).toBeLessThanOrEqual(lease + 1e-6)
          const granted = yield* ask(costing(cost))
          if (Option.isNone(granted)) continue
          has.tokens -= cost
          spent.push([yield* nowMillis, cost])
          if (ending === "spend") continue
          spent.pop()
          const refund = Effect.suspend(() => {
            has.tokens += cost
            return granted.value.refund
          })
          yield* ending === "refund at once" ? refund : begin(Effect.delay(refund, "3 seconds"))
        }
        for (const [first, [from]] of spent.entries()) {
          let tokens = 0
          for (const [to, cost] of spent.slice(first)) {
            tokens += cost
            const most = limits.burst + (limits.perSecond * (to - from)) / 1000 + 3 * lease
            expect(tokens).toBeLessThanOrEqual(most + 1e-6)
          }
        }
      }).pipe(inVirtualTime),
    { fastCheck: { numRuns: 6 } }
  )
})
