import { SharedBucket } from "@effect-retry/fleet"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SpecStore from "../../SpecStore.ts"
import { fleetOf, grants, inVirtualTime, succeed } from "./Shared.ts"

type Options = SharedBucket.SuccessRatioOptions

const ratioIn = (store: SpecStore.SpecStore<never>, options: Partial<Options> = {}) =>
  SharedBucket.successRatio("RedisBucket.successRatio", {
    name: "orders",
    ratio: 0.1,
    capacity: 20,
    floorPerSecond: 0.001,
    ...options
  })(fleetOf(store))

describe("SharedBucket.successRatio", () => {
  it.effect("shares capacity and floor, and keeps for each process what its successes put in", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const [mine, theirs] = [yield* ratioIn(store, { leaseShare: 0 }), yield* ratioIn(store, { leaseShare: 0 })]
      expect([yield* grants(mine, 12), yield* grants(theirs, 12)]).toEqual([12, 8])
      yield* Effect.replicateEffect(succeed(mine), 10)
      expect([yield* grants(theirs, 1), yield* grants(mine, 2)]).toEqual([0, 1])
      yield* Effect.sleep("1500 seconds")
      expect([yield* grants(theirs, 2), yield* grants(mine, 2)]).toEqual([1, 0])
    }).pipe(inVirtualTime)
  )

  it.effect.each([
    { leaseShare: 0, most: 1 },
    { leaseShare: 0.1, most: 2 },
    { leaseShare: 1, most: 20 }
  ])("keeps $most tokens of its own at a lease of $leaseShare", ({ leaseShare, most }) =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const bucket = yield* ratioIn(store, { leaseShare })
      yield* grants(yield* ratioIn(store, { leaseShare: 0 }), 20)
      yield* Effect.replicateEffect(succeed(bucket), 1000)
      expect(yield* grants(bucket, 30)).toBe(most)
    }).pipe(inVirtualTime)
  )

  it.effect("spends parts of its own and of the store's tokens together", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const bucket = yield* ratioIn(store, { capacity: 1.5, ratio: 0.5 })
      expect(yield* grants(bucket, 2)).toBe(1)
      yield* succeed(bucket)
      expect(yield* grants(bucket, 2)).toBe(1)
      expect(yield* bucket.level).toBeCloseTo(0, 5)
    }).pipe(inVirtualTime)
  )

  it.effect("gets nothing from attempts that failed", () =>
    Effect.gen(function* () {
      const bucket = yield* ratioIn(SpecStore.make(), { ratio: 1 })
      yield* grants(bucket, 20)
      yield* bucket.record({ _tag: "Abandoned", attempt: 1, granted: { tokens: 1, refund: Effect.void } })
      expect(yield* grants(bucket, 1)).toBe(0)
    }).pipe(inVirtualTime)
  )

  const wrong: ReadonlyArray<{ options: Partial<Options>; message: string }> = [
    { options: { ratio: -0.1 }, message: "ratio must be >= 0, got -0.1" },
    { options: { capacity: 0.5 }, message: "capacity must be >= 1, got 0.5" },
    {
      options: { floorPerSecond: 0 },
      message: "floorPerSecond must be > 0, since time alone brings back what is lost with a process or a reply, got 0"
    }
  ]
  it.each(wrong)("refuses $options", ({ message, options }) => {
    expect(() => ratioIn(SpecStore.make(), options)).toThrow(`RedisBucket.successRatio: ${message}`)
  })
})
