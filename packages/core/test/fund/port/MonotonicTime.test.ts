import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as MonotonicTime from "../../../src/fund/port/MonotonicTime.ts"
import { law } from "../../support/Laws.ts"
import * as SteppedClock from "../SteppedClock.ts"

describe("MonotonicTime.makeReader", () => {
  it("reads the time that has passed, whatever the wall clock is set to", () => {
    const clock = SteppedClock.make()
    const read = MonotonicTime.makeReader()
    const readings = [read(clock)]
    for (const millis of [-5000, 9000, -1, 0]) {
      clock.step(millis)
      clock.advance(250)
      readings.push(read(clock))
    }
    expect(readings).toEqual([0, 250, 500, 750, 1000])
  })

  it("counts on from the point at which it stood still", () => {
    const read = MonotonicTime.makeReader()
    const readAt = (millis: number) =>
      read({ ...SteppedClock.make(), unsafeCurrentTimeNanos: () => BigInt(millis) * 1_000_000n })
    expect([1000, 400, 700, 1700].map(readAt)).toEqual([1000, 1000, 1300, 2300])
  })

  it.prop(
    "stands still while the nanoseconds step back, and counts every step forward",
    [FastCheck.array(FastCheck.integer({ min: -5_000_000, max: 5_000_000 }), { minLength: 1 })],
    ([steps]) => {
      const clock = SteppedClock.make()
      const read = MonotonicTime.makeReader()
      let nanos = 0
      const stepping = { ...clock, unsafeCurrentTimeNanos: () => BigInt(nanos) }
      let expected = read(stepping)
      for (const step of steps) {
        nanos += step
        expected += Math.max(0, step) / 1e6
        expect(read(stepping)).toBeCloseTo(expected, 6)
      }
    },
    law()
  )
})

describe("MonotonicTime.since", () => {
  it("answers the time that has passed since the call, and zero if the clock has stepped back", () => {
    let nanos = 5_000_000n
    const clock = { ...SteppedClock.make(), unsafeCurrentTimeNanos: () => nanos }
    const elapsedMillis = MonotonicTime.since(clock)
    const after = (passed: bigint) => {
      nanos += passed
      return elapsedMillis()
    }
    expect([0n, 1_500_000n, -4_000_000n, 3_000_000n].map(after)).toEqual([0, 1.5, 0, 0.5])
  })
})
