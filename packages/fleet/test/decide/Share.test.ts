import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import * as Share from "../../src/decide/Share.ts"
import { law } from "../../../core/test/support/Laws.ts"

const whole = { burst: 100, perSecond: 10, least: 5 }

describe("Share", () => {
  it.each([
    { sharers: 1, level: 100, limits: { capacity: 100, refillPerSecond: 10 } },
    { sharers: 4, level: 25, limits: { capacity: 25, refillPerSecond: 2.5 } },
    { sharers: 50, level: 2, limits: { capacity: 5, refillPerSecond: 0.2 } },
    { sharers: 1000, level: 0.1, limits: { capacity: 5, refillPerSecond: 0.01 } }
  ])("of one of $sharers is a part of burst and rate, with room for one attempt", ({ level, limits, sharers }) => {
    expect(Share.make(whole, sharers, 0)).toEqual({ level, atMillis: 0, limits })
  })

  it("has room for no more than the burst of the whole", () => {
    expect(Share.make({ ...whole, burst: 3 }, 2, 0).limits).toEqual({ capacity: 3, refillPerSecond: 5 })
  })

  it("is refilled at the rate that was in force, and cut to the burst when members come", () => {
    const drained = Option.getOrThrow(Share.taken(Share.make(whole, 2, 0), 0, 50))
    expect(Share.level(drained, 1_000)).toBe(5)
    const alone = Share.resized(drained, whole, 1, 1_000)
    expect([Share.level(alone, 1_000), Share.level(alone, 2_000)]).toEqual([5, 15])
    expect(Share.millisUntil(alone, 2_000, 16)).toBe(100)
    expect(Share.level(Share.resized(alone, whole, 4, 20_000), 20_000)).toBe(25)
    expect(Share.level(Share.put(alone, 2_000, 1_000), 2_000)).toBe(100)
  })

  it.prop(
    "grants no more than its first part and what time brought, however the members change",
    [
      fc.integer({ min: 1, max: 40 }),
      fc.array(
        fc.record({ passes: fc.nat(3_000), sharers: fc.option(fc.integer({ min: 1, max: 40 })), cost: fc.nat(8) }),
        { maxLength: 40, size: "max" }
      )
    ],
    ([sharers, steps]) => {
      let share = Share.make(whole, sharers, 0)
      let [now, granted, brought, rate] = [0, 0, share.level, share.limits.refillPerSecond]
      for (const { cost, passes, sharers } of steps) {
        now += passes
        brought += (passes / 1000) * rate
        if (sharers !== null) {
          const before = Share.level(share, now)
          share = Share.resized(share, whole, sharers, now)
          rate = share.limits.refillPerSecond
          if (Share.level(share, now) > before) expect(Share.level(share, now)).toBe(before)
        }
        const taken = Share.taken(share, now, cost)
        if (Option.isNone(taken)) continue
        share = taken.value
        granted += cost
        if (granted > brought + 1e-4) expect(granted).toBeLessThanOrEqual(brought)
      }
    },
    law(50)
  )
})
