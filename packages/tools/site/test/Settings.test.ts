import { describe, expect, it } from "vitest"
import { type Control, controls } from "../src/playground/Controls.ts"
import { fromHash, initial, toHash, toJson } from "../src/playground/Settings.ts"
import { read } from "../src/playground/ReadText.ts"
import { randomSettings } from "../src/playground/RandomSettings.ts"

describe("Settings.fromHash", () => {
  it("reads what toHash writes", () => {
    for (const settings of randomSettings(500)) expect(fromHash(`#${toHash(settings)}`)).toEqual(settings)
  })

  it("has nothing to write of the initial settings", () => {
    expect(toHash(initial)).toBe("")
    expect(fromHash("")).toEqual(initial)
  })

  it.each([
    ["of another version", "v=2&base=7"],
    ["without a version", "base=7"],
    ["below a range", "v=1&base=-1"],
    ["above a range", "v=1&maxAttempts=51"],
    ["that is no number", "v=1&base=NaN&cap=Infinity&maxAttempts=1e999&factor=0x"],
    ["that is no whole number", "v=1&maxAttempts=2.5&clients=10.5&seed=0.5"],
    ["that is empty", "v=1&base=&cap=%20"],
    ["that is no choice", "v=1&curve=toString&bucket=__proto__&jitter=constructor"],
    ["that is unknown", "v=1&__proto__=1&constructor=2&toString=3"],
    ["with markup", "v=1&curve=%3Cscript%3Ealert(1)%3C/script%3E"],
    ["that does not decode", "v=1&base=%E0%A4%A"]
  ])("drops a value %s", (_, hash) => {
    expect(fromHash(hash)).toEqual(initial)
  })

  it("takes the first of two values", () => {
    expect(fromHash("v=1&base=7&base=8").base).toBe(7)
  })
})

describe("Settings.toJson", () => {
  it("is read back", () => {
    for (const settings of randomSettings(100)) expect(read(toJson(settings), initial)).toEqual(settings)
  })
})

describe("controls", () => {
  it("begin inside of their ranges", () => {
    const fits = (control: Control) =>
      control._tag === "Choice"
        ? Object.hasOwn(control.choices, control.initial)
        : control.initial >= control.least && control.initial <= control.most
    expect(Object.entries(controls).filter(([, control]) => !fits(control))).toEqual([])
  })
})
