import * as Readable from "@effect-retry/core/unstable/Readable"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck } from "effect"
import { law } from "../../support/Laws.ts"

describe("Readable.time", () => {
  it.each([
    [0, "0 ms"],
    [0.04, "0 ms"],
    [0.25, "0.3 ms"],
    [9.94, "9.9 ms"],
    [9.96, "10 ms"],
    [13.382000000000003, "13 ms"],
    [999.4, "999 ms"],
    [999.5, "1 s"],
    [1000, "1 s"],
    [1234, "1.2 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min"],
    [61_000, "1 min 1 s"],
    [3_599_499, "59 min 59 s"],
    [3_599_500, "1 h"],
    [7_530_000, "2 h 6 min"],
    [86_369_000, "23 h 59 min"],
    [86_370_000, "1 d"],
    [367_200_000, "4 d 6 h"],
    [Infinity, "an endless time"]
  ])("shows %s milliseconds as %s", (millis, text) => {
    expect(Readable.time(Duration.millis(millis))).toBe(text)
  })

  const units: Record<string, number> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }
  const read = (text: string) =>
    Array.from(
      text.matchAll(/([\d.]+) (\w+)/g),
      ([, amount, unit]) => Number(amount) * (units[unit ?? ""] ?? NaN)
    ).reduce((sum, millis) => sum + millis, 0)

  it.effect.prop(
    "is off by at most a twentieth, and by a twentieth of a millisecond",
    [FastCheck.double({ min: 0, max: 1e12, noNaN: true })],
    ([millis]) =>
      Effect.sync(() => {
        expect(Math.abs(read(Readable.time(Duration.millis(millis))) - millis)).toBeLessThanOrEqual(millis / 20 + 0.051)
      }),
    law()
  )
})

describe("Readable.inLine", () => {
  it.each([
    ["one\r\ntwo", "one two"],
    ["\u001b[31mred\u0007", " [31mred "],
    ["a\u2028b\u2029c\u0085d", "a b c d"],
    ["left \u202e right", "left   right"],
    [`${"x".repeat(199)}🙂`, "x".repeat(199)],
    [`🙂${"x".repeat(199)}`, `🙂${"x".repeat(198)}`]
  ])("makes a part of a line of %j", (text, shown) => {
    expect(Readable.inLine(text)).toBe(shown)
  })
})
