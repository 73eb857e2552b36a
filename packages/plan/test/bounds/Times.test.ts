import { Backoff, Curve } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import * as Extremes from "../../src/bounds/Extremes.ts"
import * as Times from "../../src/bounds/Times.ts"

const endless = Backoff.constant({ delay: 100 })
const list = Backoff.fromDelays([100, 100])
const within = Backoff.within(endless, 1_000)
const later = Backoff.within(endless, 2_000)

/** A failure between the beginning and a moment after which a delay no longer fits into a second. */
const failure: Extremes.Input = { kind: "Server", ranMillis: 0, earlyMillis: 0, lateMillis: 950 }

const casesOf = (backoff: Backoff.Backoff, input = failure) => Times.casesOf(Extremes.make(backoff.tree), input)

const open = { ...failure, earlyMillis: -Infinity, lateMillis: -Infinity }
const ended = { ...failure, earlyMillis: Infinity, lateMillis: Infinity }

/** The part that keeps a time has not ended, if the next attempt starts before `untilMillis`; or it has. */
const either = (untilMillis: number, ranMillis = 0) => [
  { input: { ...open, ranMillis }, untilMillis },
  { input: { ...ended, ranMillis }, untilMillis: Infinity }
]

const certain = (input = failure) => [{ input, untilMillis: Infinity }]

/** Ends by itself below a sum, or from a sum on. */
const ending = (ends: (sum: number) => boolean) =>
  Backoff.fromCurve(
    Curve.make({
      name: "ending",
      draws: true,
      initial: 75,
      delayMillis: (_, sum, _cap, u) => (ends(sum) ? undefined : 50 + u * 50),
      next: (delay) => delay,
      intervalMillis: () => [50, 100]
    })
  )

/** After a failure at the beginning. */
const stepped = ({ tree }: Backoff.Backoff) =>
  Extremes.step(Extremes.make(tree), { ...failure, earlyMillis: 0, lateMillis: 0 })!.rest

describe("Times.casesOf", () => {
  it.each<readonly [string, Backoff.Backoff, Partial<Extremes.Input>]>([
    ["no part ends by time", endless, {}],
    ["no part can have ended", within, { lateMillis: 899 }],
    ["the part must have ended", within, { earlyMillis: 900 }],
    ["the part starts over", Backoff.resetAfter(within, 50), { ranMillis: 50 }]
  ])("is one case if %s", (_, backoff, given) => {
    const input = { ...failure, ...given }
    expect(casesOf(backoff, input)).toEqual(certain(input))
  })

  it.each<readonly [string, Backoff.Backoff, untilMillis: number]>([
    ["alone", within, 1_000],
    ["as the longest, before", Backoff.max(within, endless), Infinity],
    ["as the longest, after", Backoff.max(endless, within), Infinity],
    ["as the shortest, before", Backoff.min(within, endless), 1_000],
    ["as the shortest, after", Backoff.min(endless, within), 1_000],
    ["followed by another", Backoff.andThen(within, endless), 1_000],
    ["after one that has ended", Backoff.andThen(Backoff.fromDelays([]), within), 1_000],
    [
      "after one that has ended for its kind",
      Backoff.andThen(Backoff.byKind({ Server: Backoff.fromDelays([]), orElse: endless }), within),
      1_000
    ],
    ["before one that is not reached", Backoff.andThen(Backoff.min(within, endless), later), 1_000],
    ["for its kind", Backoff.byKind({ Server: within, orElse: endless }), 1_000],
    ["for all other kinds", Backoff.byKind({ Timeout: endless, orElse: within }), 1_000],
    ["for another kind", Backoff.byKind({ Timeout: within, orElse: endless }), Infinity],
    ["that attempts may start over", Backoff.resetAfter(within, 50), 1_000],
    ["with a count", Backoff.take(within, 9), 1_000],
    ["around a list", Backoff.within(list, 1_000), 1_000],
    ["beside one that starts over", Backoff.min(within, Backoff.resetAfter(endless, 50)), 1_000]
  ])("is two cases if one part may have ended: %s", (_, backoff, untilMillis) => {
    expect(casesOf(backoff)).toEqual(either(untilMillis))
  })

  it("is two cases if a part that starts over keeps no time", () => {
    const backoff = Backoff.min(within, Backoff.resetAfter(endless, 50))
    expect(casesOf(backoff, { ...failure, ranMillis: 50 })).toEqual(either(1_000, 50))
  })

  it("counts the time of a part from when it started over", () => {
    const started = Extremes.step(Extremes.make(Backoff.resetAfter(within, 50).tree), {
      ...failure,
      ranMillis: 50,
      earlyMillis: 300,
      lateMillis: 400
    })!
    expect(Times.casesOf(started.rest, { ...failure, earlyMillis: 500, lateMillis: 1_350 })).toEqual(either(1_400))
  })

  it.each<readonly [string, Backoff.Backoff, Partial<Extremes.Input>]>([
    ["two parts may have ended", Backoff.max(within, within), {}],
    ["one of two parts may have ended", Backoff.min(within, later), {}],
    ["both of one after the other may have ended", Backoff.andThen(within, within), { lateMillis: 2_000 }],
    [
      "both of the first may have ended, and the one after them",
      Backoff.andThen(Backoff.min(within, within), within),
      { lateMillis: 2_000 }
    ],
    ["each kind has a part", Backoff.byKind({ Timeout: within, orElse: within }), {}],
    ["parts are in one another", Backoff.within(Backoff.within(within, 1_000), 1_000), {}],
    [
      "a part starts over at a failure whose time is not known",
      Backoff.min(within, Backoff.resetAfter(later, 50)),
      { ranMillis: 50 }
    ]
  ])("is unknown if %s", (_, backoff, given) => {
    expect(casesOf(backoff, { ...failure, ...given })).toBeUndefined()
  })

  const below = ending((sum) => sum < 75)
  const above = ending((sum) => sum > 75)

  it.each<readonly [string, Backoff.Backoff, Partial<Extremes.Input>]>([
    ["under its least draws", Backoff.within(below, 10_000), {}],
    ["under its least draws, beside another", Backoff.within(Backoff.min(below, endless), 10_000), {}],
    ["under its greatest draws, beside another", Backoff.within(Backoff.min(above, endless), 10_000), {}],
    [
      "beside a part that must have ended",
      Backoff.min(within, Backoff.min(above, endless)),
      { earlyMillis: 900, lateMillis: 950 }
    ]
  ])("is unknown if a curve ends by chance %s", (_, backoff, times) => {
    expect(Times.casesOf(stepped(backoff), { ...failure, lateMillis: 0, ...times })).toBeUndefined()
  })

  it("is one case if a curve ends by chance and no part by time", () => {
    expect(Times.casesOf(stepped(Backoff.min(above, endless)), failure)).toEqual(certain())
  })
})

describe("Times.withinMillis", () => {
  it.each<readonly [string, Backoff.Backoff, number]>([
    ["a curve", endless, Infinity],
    ["a time", within, 1_000],
    ["a shorter time in a longer one", Backoff.within(within, 2_000), 1_000],
    ["a longer time in a shorter one", Backoff.within(later, 1_000), 1_000],
    ["the longest of two", Backoff.max(within, later), 1_000],
    ["the shortest of two", Backoff.min(within, later), 2_000],
    ["one after the other", Backoff.andThen(within, later), 2_000],
    ["a case", Backoff.byKind({ Timeout: later, orElse: within }), 2_000],
    ["all other kinds", Backoff.byKind({ Timeout: within, orElse: later }), 2_000],
    ["a time that starts over", Backoff.resetAfter(within, 50), Infinity],
    ["a count", Backoff.take(within, 9), 1_000]
  ])("is the time before which every attempt starts: %s", (_, { tree }, millis) => {
    expect(Times.withinMillis(tree)).toBe(millis)
  })
})
