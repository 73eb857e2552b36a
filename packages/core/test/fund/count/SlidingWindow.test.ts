import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as SlidingWindow from "../../../src/fund/count/SlidingWindow.ts"
import { law } from "../../support/Laws.ts"

/** A negative amount takes away what was added at `ofMillis`. */
type Step = readonly [atMillis: number, amount: number, sum: number, ofMillis?: number]

/** The sums after each addition to a window of ten seconds. */
const sums = (steps: ReadonlyArray<Step>) => {
  let window = SlidingWindow.make(10_000)
  return steps.map(([at, amount, , of = at]) => {
    window = SlidingWindow.advanced(window, at)
    window =
      amount < 0 ? SlidingWindow.removed(window, Math.floor(of / 100), -amount) : SlidingWindow.added(window, amount)
    return SlidingWindow.sum(window)
  })
}

describe("SlidingWindow", () => {
  it.each<{ name: string; steps: ReadonlyArray<Step> }>([
    {
      name: "adds up what is within the window",
      steps: [
        [0, 1, 1],
        [999, 1, 2],
        [1000, 1, 3],
        [5000, 1, 4],
        [9999, 1, 5],
        [10_000, 1, 6]
      ]
    },
    {
      name: "remembers for the whole window, and forgets in a hundredth more",
      steps: [
        [99, 1, 1],
        [10_099, 0, 1],
        [10_100, 0, 0]
      ]
    },
    {
      name: "forgets slot by slot",
      steps: [
        [0, 1, 1],
        [100, 2, 3],
        [200, 4, 7],
        [10_100, 0, 6],
        [10_200, 0, 4],
        [10_300, 0, 0]
      ]
    },
    {
      name: "forgets everything in a long silence",
      steps: [
        [0, 1, 1],
        [1e12, 0, 0],
        [1e12, 3, 3]
      ]
    },
    {
      name: "forgets nothing when the clock steps back, and goes on from there",
      steps: [
        [1e12, 1, 1],
        [5000, 1, 2],
        [15_099, 0, 2],
        [15_100, 0, 0]
      ]
    },
    {
      name: "counts before the epoch",
      steps: [
        [-1, 1, 1],
        [9999, 0, 1],
        [10_000, 0, 0]
      ]
    },
    {
      name: "takes away what was added at that time",
      steps: [
        [0, 2, 2],
        [5000, 2, 4],
        [6000, -1, 3, 5000],
        [10_100, 0, 1],
        [15_100, 0, 0]
      ]
    },
    {
      name: "takes away no more than was added",
      steps: [
        [0, 2, 2],
        [5000, 2, 4],
        [5000, -3, 2],
        [5000, 1, 3]
      ]
    },
    {
      name: "takes away nothing that is forgotten, or was never added",
      steps: [
        [0, 2, 2],
        [10_100, 1, 1],
        [10_100, -2, 1, 0],
        [10_100, -2, 1, 20_000]
      ]
    }
  ])("$name", ({ steps }) => {
    expect(sums(steps)).toEqual(steps.map(([, , sum]) => sum))
  })

  it.prop(
    "lies between the sums over one window and over a hundredth more",
    [FastCheck.array(FastCheck.tuple(FastCheck.nat(700), FastCheck.nat(5)), { minLength: 1 })],
    ([gaps]) => {
      let window = SlidingWindow.make(10_000)
      let now = 0
      const events: Array<readonly [number, number]> = []
      const since = (millis: number) => events.filter(([at]) => at > now - millis).reduce((sum, [, n]) => sum + n, 0)
      for (const [gap, amount] of gaps) {
        now += gap
        events.push([now, amount])
        window = SlidingWindow.added(SlidingWindow.advanced(window, now), amount)
        expect(SlidingWindow.sum(window)).toBeGreaterThanOrEqual(since(10_000))
        expect(SlidingWindow.sum(window)).toBeLessThanOrEqual(since(10_100))
      }
    },
    law()
  )
})
