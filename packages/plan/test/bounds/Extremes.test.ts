import { Backoff, Curve } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import * as Extremes from "../../src/bounds/Extremes.ts"

const failure: Extremes.Input = { kind: "Server", ranMillis: 0, earlyMillis: 0, lateMillis: 0 }

describe("Extremes.step", () => {
  it("starts over the histories in which an attempt ran for long enough", () => {
    const smooth = Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1000 }))
    const { rest } = Extremes.step(Extremes.make(Backoff.resetAfter(smooth, 300).tree), failure)!
    expect(Extremes.step(rest, { ...failure, ranMillis: 299 })).toMatchObject({ least: 0, most: 2_838 })
    expect(Extremes.step(rest, { ...failure, ranMillis: 300 })).toMatchObject({ least: 0, most: 1_378 })
  })

  it.each([
    { earlyMillis: 0, lateMillis: 199, least: 100, most: 100 },
    { earlyMillis: 0, lateMillis: 200, least: 10, most: 100 },
    { earlyMillis: 200, lateMillis: 200, least: 10, most: 10 }
  ])(
    "has the delays of all histories when a part ends by time: from $earlyMillis to $lateMillis",
    ({ least, most, ...times }) => {
      const first = Backoff.within(Backoff.constant({ delay: 100 }), 300)
      const backoff = Backoff.andThen(first, Backoff.constant({ delay: 10 })).pipe(Backoff.resetAfter(1_000))
      expect(Extremes.step(Extremes.make(backoff.tree), { ...failure, ...times })).toMatchObject({ least, most })
    }
  )
})
