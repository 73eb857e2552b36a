import * as TimeLeft from "@effect-retry/core/unstable/TimeLeft"
import { describe, expect, it } from "@effect/vitest"

const refuse = { _tag: "Refuse", withinMillis: 100, reserveMillis: 0 } as const
const reserving = { _tag: "Refuse", withinMillis: 100, reserveMillis: 10 } as const
const truncate = { _tag: "Truncate", withinMillis: 100, reserveMillis: 10 } as const
const cut = { _tag: "Cut", withinMillis: 100, reserveMillis: 0 } as const

describe("TimeLeft.fit", () => {
  it.each<readonly [TimeLeft.Limit, elapsedMillis: number, delayMillis: number, wait: number | undefined]>([
    [refuse, 0, 0, 0],
    [refuse, 20, 79, 79],
    [refuse, 20, 80, undefined],
    [reserving, 20, 70, 70],
    [reserving, 20, 71, undefined],
    [truncate, 20, 70, 70],
    [truncate, 20, 71, 70],
    [truncate, 20.5, 71, 69],
    [truncate, 89, 5, 1],
    // Less than a millisecond would be no wait at all.
    [truncate, 89.5, 5, undefined],
    [truncate, 90, 0, 0],
    [truncate, 90, 1, undefined],
    [truncate, 95, 0, undefined],
    [cut, 99, 500, 500],
    [cut, 100, 0, undefined]
  ])("%o after %d of a delay of %d: %s", (limit, elapsedMillis, delayMillis, wait) => {
    expect(TimeLeft.fit(limit, elapsedMillis, delayMillis)).toBe(wait)
  })
})

describe("TimeLeft.untilEnd", () => {
  it.each([
    [0, 100],
    [99.5, 0.5],
    [100, 0],
    [101, 0]
  ])("after %d: %d", (elapsedMillis, left) => {
    expect(TimeLeft.untilEnd(reserving, elapsedMillis)).toBe(left)
  })
})

describe("TimeLeft.mayStart", () => {
  it.each<readonly [TimeLeft.Limit, elapsedMillis: number, may: boolean]>([
    [refuse, 99, true],
    [refuse, 100, false],
    [reserving, 90, true],
    [reserving, 91, false],
    [cut, 99, true],
    [cut, 100, false]
  ])("%o after %d: %s", (limit, elapsedMillis, may) => {
    expect(TimeLeft.mayStart(limit, elapsedMillis)).toBe(may)
  })
})

describe("TimeLeft.isLate", () => {
  it.each<readonly [TimeLeft.Limit, elapsedMillis: number, late: boolean]>([
    [reserving, 90, false],
    [reserving, 91, true],
    // It has shortened the wait to leave its reserve, which a late timer does not undo.
    [truncate, 99, false],
    [truncate, 100, true]
  ])("%o after %d: %s", (limit, elapsedMillis, late) => {
    expect(TimeLeft.isLate(limit, elapsedMillis)).toBe(late)
  })
})

describe("TimeLeft.readsStart", () => {
  it.each<readonly [(attempt: number, startMillis: number) => number, boolean]>([
    [() => 5, false],
    [(attempt) => attempt, false],
    [(_, startMillis) => startMillis, true]
  ])("%o", (millisOf, reads) => {
    expect(TimeLeft.readsStart({ millisOf })).toBe(reads)
  })
})

describe("TimeLeft.millisFor", () => {
  const timeout = { millisOf: (attempt: number, startMillis: number) => 10 * attempt - startMillis }

  it.each([
    { attempt: 2, startMillis: 5, leftMillis: 100, millis: 15 },
    { attempt: 2, startMillis: 5, leftMillis: 9, millis: 9 },
    { attempt: 2, startMillis: 5, leftMillis: -1, millis: 0 },
    { attempt: 1, startMillis: 11, leftMillis: Infinity, millis: 0 }
  ])("attempt $attempt that starts at $startMillis with $leftMillis left: $millis", (given) => {
    expect(TimeLeft.millisFor(timeout, given.attempt, given.startMillis, given.leftMillis)).toBe(given.millis)
  })
})
