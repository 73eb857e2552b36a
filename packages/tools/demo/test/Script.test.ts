import { describe, expect, it } from "@effect/vitest"
import * as Script from "../src/Script.ts"

/** What requests at these times are answered. */
const play = (script: Script.Script, ...timesMillis: ReadonlyArray<number>): ReadonlyArray<string> => {
  let rest = script
  return timesMillis.map((now) => {
    const [answer, next] = Script.next(rest, now)
    rest = next
    return Script.label(answer)
  })
}

describe("Script.next", () => {
  it("gives its answers in turn and repeats the last one", () => {
    const script = Script.make(Script.status(503), Script.reset, Script.hang, Script.status(200))
    expect(play(script, 0, 1, 2, 3, 4, 5)).toEqual(["503", "reset", "hang", "200", "200", "200"])
  })

  it("throttles until the time it asked for is over, counted from the first time it asked", () => {
    const script = Script.make(Script.throttle(1), Script.status(200))
    expect(play(script, 5000, 5100, 5999, 6000)).toEqual(["429", "429", "429", "200"])
  })

  it("throttles twice in a row, each for its own time", () => {
    const script = Script.make(Script.throttle(1), Script.throttle(2), Script.status(200))
    expect(play(script, 0, 1000, 2999, 3000)).toEqual(["429", "429", "429", "200"])
  })

  it("throttles for ever as its last answer", () => {
    expect(play(Script.make(Script.throttle(1)), 0, 1000, 9000)).toEqual(["429", "429", "429"])
  })

  it("leaves the script as it was", () => {
    const script = Script.make(Script.status(503), Script.status(200))
    expect(play(script, 0, 1)).toEqual(play(script, 0, 1))
  })
})

describe("Script.label and Script.letter", () => {
  it.each([
    [Script.status(200), "200", "o", "success"],
    [Script.status(404), "404", "N", "final"],
    [Script.status(503), "503", "S", ""],
    [Script.throttle(1), "429", "T", ""],
    [Script.reset, "reset", "R", ""],
    [Script.hang, "hang", "H", ""]
  ] as const)("name %j", (answer, label, letter, meaning) => {
    expect([Script.label(answer), Script.letter(answer)]).toEqual([label, letter])
    expect([Script.isSuccess(answer), Script.isFinal(answer)]).toEqual([meaning === "success", meaning === "final"])
  })
})
