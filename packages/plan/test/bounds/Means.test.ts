import { Backoff, Curve, Jitter } from "@effect-retry/core"
import type { Tree } from "@effect-retry/core/unstable/BackoffTree"
import { describe, expect, it } from "@effect/vitest"
import * as Means from "../../src/bounds/Means.ts"

const input = { kind: "Server", ranMillis: 0, elapsedMillis: 0 } as const

const constants = (delays: ReadonlyArray<number>): ReadonlyArray<Tree> =>
  delays.map((delay) => Backoff.constant({ delay }).tree)

const jittered = Backoff.constant({ delay: 10_000 }).pipe(Backoff.jittered(Jitter.full)).tree

describe("Means.histories", () => {
  it("takes one if nothing remembers a draw, and hundreds if something does", () => {
    expect(Means.histories(jittered)).toEqual([jittered])
    const walk = Backoff.fromCurve(Curve.decorrelated({ base: 1 })).tree
    expect(Means.histories(walk)).toEqual(Array.from({ length: 256 }, () => walk))
  })
})

describe("Means.mean", () => {
  it.each([
    { most: 8, millis: 4.5, rest: 8 },
    { most: 9, millis: 4.5, rest: 8 },
    { most: 4, millis: 5, rest: 4 },
    { most: 1, millis: 5, rest: 1 }
  ])("is that of histories evenly spread over all of them: $most", ({ millis, most, rest }) => {
    const mean = Means.mean(constants([1, 2, 3, 4, 5, 6, 7, 8]), 1, input, most)
    expect(mean?.millis).toBe(millis)
    expect(mean?.rest).toHaveLength(rest)
  })

  it("draws for each history by itself, and keeps them in the order of their delays", () => {
    const mean = Means.mean([jittered, ...constants([2_000]), jittered], 2, input, 3)
    // 0.5 / 256, and as much and a quarter, each with two golden sections on top, as far as they are above whole ones.
    expect(mean?.millis).toBe((2_381 + 2_000 + 4_881) / 3)
    expect(mean?.rest.map((tree) => tree._tag === "Leaf" && tree.jitter.name)).toEqual(["none", "full", "full"])
  })

  it("is that of the histories that go on", () => {
    const ended = Backoff.fromDelays([]).tree
    expect(Means.mean([ended, ...constants([3])], 1, input, 9)).toMatchObject({ millis: 3, rest: [{ n: 2 }] })
    expect(Means.mean([ended, ended], 1, input, 9)).toBeUndefined()
    expect(Means.mean([ended], 1, input, 9)).toBeUndefined()
    expect(Means.mean([], 1, input, 9)).toBeUndefined()
  })

  it("is that of draws from the middles of equal parts if there is one history", () => {
    expect(Means.mean([jittered], 1, input, 4)?.millis).toBe((1_250 + 3_750 + 6_250 + 8_750) / 4)
    expect(Means.mean([jittered], 1, input, 1)).toMatchObject({ millis: 5_000, rest: [{ n: 2 }] })
  })
})
