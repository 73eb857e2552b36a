import { SharedBucket } from "@effect-retry/fleet"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import * as SpecStore from "../../SpecStore.ts"
import { ask, drawing, fleetOf, grants, inVirtualTime, isGranted, succeed } from "./Shared.ts"

type Options = SharedBucket.FixedOptions

const fixedIn = (store: SpecStore.SpecStore<never>, options: Partial<Options> = {}) =>
  SharedBucket.fixed("RedisBucket.fixed", { name: "orders", rate: 10, burst: 5, ...options })(fleetOf(store))

const takes = (store: SpecStore.SpecStore<unknown>) => store.calls.filter(({ _tag }) => _tag === "take").length

describe("SharedBucket.fixed", () => {
  it.effect("grants the burst at once and then the rate, whatever the attempts end with", () =>
    Effect.gen(function* () {
      const bucket = yield* fixedIn(SpecStore.make(), { whenShort: "refuse" })
      expect(yield* grants(bucket, 9, { attempt: 1 })).toBe(5)
      yield* succeed(bucket)
      expect(yield* grants(bucket, 1)).toBe(0)
      yield* Effect.sleep("350 millis")
      expect(yield* grants(bucket, 9)).toBe(3)
    }).pipe(inVirtualTime)
  )

  it.effect.each([
    { burst: 2, granted: 61 },
    { burst: 1, granted: 48 }
  ])("grants a single process $granted of 60 attempts that the rate brings, when the burst is $burst", (row) =>
    Effect.gen(function* () {
      const bucket = yield* fixedIn(SpecStore.make(), { burst: row.burst, rate: 20 })
      let granted = 0
      const attempts = Effect.replicateEffect(
        Effect.map(ask(bucket), () => (granted += 1)),
        80,
        { concurrency: "unbounded" }
      )
      yield* Effect.fork(attempts)
      yield* Effect.sleep("3 seconds")
      expect(granted).toBe(row.granted)
    }).pipe(drawing(0.5), inVirtualTime)
  )

  it.effect("asks the store 0.06 times per attempt at most, at four fifths of the rate and a Zipf demand of 50", () =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.delay(decide, "1 millis"))
      const processes = 50
      const weights = Array.from({ length: processes }, (_, index) => 1 / (index + 1))
      const all = weights.reduce((sum, weight) => sum + weight)
      let attempts = 0
      const client = (weight: number) =>
        Effect.gen(function* () {
          const bucket = yield* fixedIn(store, { rate: 1000, burst: 200, whenShort: "refuse" })
          while (true) {
            const pause = -Math.log(1 - (yield* Random.next)) / ((800 * weight) / all)
            yield* Effect.sleep(pause * 1000)
            if (yield* isGranted(bucket, { attempt: 1 })) attempts += 1
          }
        })
      yield* Effect.fork(Effect.forEach(weights, client, { concurrency: "unbounded" }))
      // The first leases grow from one token.
      yield* Effect.sleep("2 seconds")
      const before = { attempts, calls: store.calls.length }
      yield* Effect.sleep("2 seconds")
      const granted = attempts - before.attempts
      expect(granted).toBeGreaterThan(1400)
      expect((store.calls.length - before.calls) / granted).toBeLessThanOrEqual(0.06)
    }).pipe(inVirtualTime)
  )

  it.effect("asks the store less than twice per attempt when a fleet wants twice the rate", () =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.delay(decide, "1 millis"))
      let attempts = 0
      const client = Effect.gen(function* () {
        const bucket = yield* fixedIn(store, { rate: 400, burst: 80 })
        while (true) {
          yield* Effect.fork(Effect.map(ask(bucket), () => (attempts += 1)))
          yield* Effect.sleep("25 millis")
        }
      })
      yield* Effect.fork(Effect.replicateEffect(client, 20, { concurrency: "unbounded" }))
      yield* Effect.sleep("1 second")
      const before = { attempts, calls: takes(store) }
      yield* Effect.sleep("1 second")
      const granted = attempts - before.attempts
      expect(granted).toBeGreaterThanOrEqual(0.95 * 400)
      expect((takes(store) - before.calls) / granted).toBeLessThan(2)
    }).pipe(inVirtualTime)
  )

  it.effect.each([
    { processes: 2, burst: 10 },
    { processes: 2, burst: 40 },
    { processes: 5, burst: 40 },
    { processes: 20, burst: 40 }
  ])("serves each of $processes processes that always wait, when the burst is $burst", ({ burst, processes }) =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.delay(decide, "1 millis"))
      const grants = Array.from({ length: processes }, () => [0])
      const client = (times: Array<number>) =>
        Effect.gen(function* () {
          const bucket = yield* fixedIn(store, { burst })
          const granted = Effect.tap(isGranted(bucket), (isGranted) =>
            Effect.clockWith((clock) =>
              Effect.map(clock.currentTimeMillis, (millis) => isGranted && times.push(millis))
            )
          )
          const always = Effect.repeat(granted, { while: (isGranted) => isGranted })
          yield* Effect.replicateEffect(always, 4, { concurrency: "unbounded" })
        })
      yield* Effect.fork(Effect.forEach(grants, client, { concurrency: "unbounded" }))
      yield* Effect.sleep("60 seconds")
      const equalShare = (10 * 60) / processes
      const longestMillis = (times: Array<number>) =>
        Math.max(...[...times, 60_000].map((millis, index) => millis - (times[index - 1] ?? 0)))
      for (const times of grants) {
        expect(times.length - 1).toBeGreaterThanOrEqual(equalShare / 4)
        expect(longestMillis(times)).toBeLessThanOrEqual(30_000)
      }
    }).pipe(inVirtualTime)
  )

  const wrong: ReadonlyArray<{ options: Partial<Options>; message: string }> = [
    {
      options: { rate: 0 },
      message: "rate must be > 0, since time alone brings back what is lost with a process or a reply, got 0"
    },
    { options: { burst: 0.5 }, message: "burst must be >= 1, got 0.5" }
  ]
  it.each(wrong)("refuses $options", ({ message, options }) => {
    expect(() => fixedIn(SpecStore.make(), options)).toThrow(`RedisBucket.fixed: ${message}`)
  })
})
