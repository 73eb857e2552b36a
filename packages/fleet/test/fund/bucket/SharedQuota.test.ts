import { SharedBucket } from "@effect-retry/fleet"
import { describe, expect, it } from "@effect/vitest"
import type { Verdict } from "@effect-retry/core"
import { Duration, Effect, Option } from "effect"
import * as SpecStore from "../../SpecStore.ts"
import * as Stories from "./Stories.ts"
import { ask, fleetOf, grants, inVirtualTime, isGranted, succeed } from "./Shared.ts"

type Options = SharedBucket.QuotaOptions

const quotaIn = (store: SpecStore.SpecStore<never>, options: Partial<Options> = {}) =>
  SharedBucket.quota("RedisBucket.quota", { name: "orders", capacity: 500, refillPerSecond: 10, ...options })(
    fleetOf(store)
  )

const tags = (store: SpecStore.SpecStore<unknown>) => store.calls.map(({ _tag }) => _tag)

describe("shared buckets", () => {
  it.effect.each(Stories.stories.map((story) => [story.name, story] as const))("%s", ([, story]) => Stories.run(story))
})

describe("SharedBucket.quota", () => {
  const costs: ReadonlyArray<{ kind?: Verdict.Kind; attempt: number; capacity?: number; cost: number }> = [
    { kind: "Throttling", attempt: 2, cost: 5 },
    { kind: "Transient", attempt: 2, cost: 14 },
    { attempt: 2, cost: 14 },
    { attempt: 1, cost: 14 },
    { kind: "Server", attempt: 2, capacity: 10, cost: 10 }
  ]
  it.effect.each(costs)("takes $cost tokens for attempt $attempt after a failure of kind $kind", (row) =>
    Effect.gen(function* () {
      const { attempt, capacity = 500, cost, kind } = row
      const bucket = yield* quotaIn(SpecStore.make(), { capacity })
      const granted = yield* ask(bucket, { attempt, kind })
      expect(Option.map(granted, ({ tokens }) => tokens)).toEqual(Option.some(cost))
      expect(yield* bucket.level).toBeCloseTo(capacity - cost, 5)
    }).pipe(inVirtualTime)
  )

  it.effect("is one bucket for the processes of a store", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const options = { capacity: 70, refillPerSecond: 0.001 }
      const [mine, theirs, other] = [
        yield* quotaIn(store, options),
        yield* quotaIn(store, options),
        yield* quotaIn(store, { ...options, name: "others" })
      ]
      expect([yield* grants(mine, 3), yield* grants(theirs, 3), yield* grants(other, 6)]).toEqual([3, 2, 5])
    }).pipe(inVirtualTime)
  )

  it.effect.each([{ processes: 1 }, { processes: 2 }, { processes: 5 }])(
    "grants tokens to each of $processes processes that ask for more than there are",
    ({ processes }) =>
      Effect.gen(function* () {
        const store = SpecStore.make((decide) => Effect.delay(decide, "1 millis"))
        const granted = Array.from({ length: processes }, () => 0)
        const client = (_: number, process: number) =>
          Effect.gen(function* () {
            const bucket = yield* quotaIn(store, { capacity: 40, refillPerSecond: 40, cost: { orElse: 1 } })
            const asking = Effect.tap(isGranted(bucket), (isGranted) => {
              if (isGranted) granted[process]! += 1
              return Effect.sleep("10 millis")
            })
            yield* Effect.replicateEffect(Effect.forever(asking), 4, { concurrency: "unbounded" })
          })
        yield* Effect.fork(Effect.forEach(granted, client, { concurrency: "unbounded" }))
        yield* Effect.sleep("10 seconds")
        const all = 40 + 10 * 40
        expect(Math.min(...granted)).toBeGreaterThanOrEqual(all / processes / 4)
        expect(granted.reduce((sum, one) => sum + one)).toBeGreaterThanOrEqual(0.9 * all)
      }).pipe(inVirtualTime)
  )

  it.effect("sends nothing for first attempts that succeed while the store is full, as far as it is known", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const bucket = yield* quotaIn(store)
      yield* Effect.replicateEffect(succeed(bucket), 100)
      yield* Effect.sleep("5 seconds")
      expect(store.calls).toEqual([])
      yield* isGranted(bucket)
      // Fourteen tokens come back by time in 1.4 seconds.
      yield* Effect.sleep("2 seconds")
      yield* Effect.replicateEffect(succeed(bucket), 100)
      yield* Effect.sleep("5 seconds")
      expect(tags(store)).toEqual(["take"])
    }).pipe(inVirtualTime)
  )

  it.effect("puts in the increment of first attempts that succeed if the store has room", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const bucket = yield* quotaIn(store, { refillPerSecond: 0.001, firstSuccessIncrement: 3, leaseShare: 0 })
      expect(yield* grants(bucket, 5)).toBe(5)
      yield* Effect.replicateEffect(succeed(bucket), 20)
      yield* Effect.sleep("2 seconds")
      expect(store.calls.at(-1)).toEqual({ _tag: "put", key: "orders", tokens: expect.closeTo(60, 5) })
      yield* Effect.replicateEffect(succeed(bucket), 20)
      expect(yield* bucket.level).toBeCloseTo(500, 1)
    }).pipe(inVirtualTime)
  )

  it.effect.each([
    { attempts: "first attempts", attempt: 1, granted: 0 },
    { attempts: "retries", attempt: 2, granted: 5 }
  ])(
    "keeps a retry waiting for at most three calls of the store, however many $attempts succeed",
    ({ attempt, granted }) =>
      Effect.gen(function* () {
        const store = SpecStore.make((decide) => Effect.delay(decide, "10 millis"))
        const bucket = yield* quotaIn(store, { leaseShare: 0 })
        yield* isGranted(bucket)
        yield* SpecStore.drain(store, "orders", { burst: 500, perSecond: 10 })
        yield* Effect.sleep("1 second")
        yield* bucket.level
        yield* Effect.fork(Effect.forever(Effect.zipLeft(succeed(bucket, attempt, granted), Effect.sleep("7 millis"))))
        for (let retry = 0; retry < 200; retry++) {
          const [waited] = yield* Effect.timed(isGranted(bucket))
          expect(Duration.toMillis(waited)).toBeLessThanOrEqual(30)
          yield* Effect.sleep("9 millis")
        }
      }).pipe(inVirtualTime)
  )

  it.effect("sends the increments with the next sweep, also while retries wait", () =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.delay(decide, "10 millis"))
      const bucket = yield* quotaIn(store, { capacity: 100, refillPerSecond: 0.001, leaseShare: 0, whenShort: "wait" })
      yield* grants(bucket, 7)
      yield* Effect.fork(isGranted(bucket, { atMostMillis: 100_000_000 }))
      yield* Effect.fork(Effect.replicateEffect(Effect.zipLeft(succeed(bucket), Effect.sleep("50 millis")), 11))
      yield* Effect.sleep("900 millis")
      expect(tags(store).filter((tag) => tag === "put")).toEqual([])
      yield* Effect.sleep("1100 millis")
      expect(tags(store).filter((tag) => tag === "put")).toEqual(["put"])
    }).pipe(inVirtualTime)
  )

  it.effect("hears nothing of failures and abandoned attempts", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const bucket = yield* quotaIn(store, { refillPerSecond: 0.001 })
      const granted = Option.getOrThrow(yield* ask(bucket))
      yield* bucket.record({ _tag: "Abandoned", attempt: 2, granted })
      expect(yield* bucket.level).toBeCloseTo(486, 1)
    }).pipe(inVirtualTime)
  )

  it.effect("waits if it is told to, and no longer", () =>
    Effect.gen(function* () {
      const options = { capacity: 14, refillPerSecond: 14, whenShort: "wait", maxWait: "2 seconds" } as const
      const bucket = yield* quotaIn(SpecStore.make(), options)
      const granted = yield* Effect.replicateEffect(isGranted(bucket), 3).pipe(Effect.map((all) => all.length))
      const late = yield* Effect.all([isGranted(bucket), isGranted(bucket), isGranted(bucket)], { concurrency: 3 })
      expect([granted, late]).toEqual([3, [true, false, false]])
    }).pipe(inVirtualTime)
  )

  const wrong: ReadonlyArray<{ options: { readonly [K in keyof Options]?: unknown }; message: string }> = [
    { options: { name: "" }, message: 'name must be a text that is not empty, got ""' },
    { options: { name: undefined }, message: "name must be a text that is not empty, got undefined" },
    { options: { observe: 5 }, message: "observe must be a list of functions, got 5" },
    {
      options: { leaseshare: 0 } as object,
      message: "leaseshare must be absent (did you mean leaseShare?), got 0"
    },
    { options: { capacity: 0 }, message: "capacity must be > 0, got 0" },
    {
      options: { refillPerSecond: 0 },
      message: "refillPerSecond must be > 0, since time alone brings back what is lost with a process or a reply, got 0"
    },
    { options: { refillPerSecond: 2_000_000 }, message: "refillPerSecond must be > 0 and <= 1000000, got 2000000" },
    { options: { cost: { orElse: 501 } }, message: "cost.orElse must be >= 0 and <= 500, got 501" },
    { options: { firstSuccessIncrement: -1 }, message: "firstSuccessIncrement must be >= 0, got -1" },
    { options: { leaseShare: 1.1 }, message: "leaseShare must be >= 0 and <= 1, got 1.1" },
    {
      options: { idleAfter: "0 millis" },
      message: 'idleAfter must be a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms, got "0 millis"'
    },
    { options: { maxWait: "1 second" }, message: 'maxWait must be absent if whenShort is "refuse", got "1 second"' }
  ]
  it.each(wrong)("refuses $options", ({ message, options }) => {
    expect(() => quotaIn(SpecStore.make(), options as Partial<Options>)).toThrow(`RedisBucket.quota: ${message}`)
  })
})
