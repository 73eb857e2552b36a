import { describe, expect, it } from "@effect/vitest"
import * as Load from "../src/Load.ts"
import * as Paint from "../src/Paint.ts"

const scale: Load.Scale = {
  binMillis: 100,
  untilMillis: 1000,
  marked: { fromMillis: 300, toMillis: 700, name: "!" }
}

describe("Load.perBin", () => {
  it("counts the first instant of a bin into it, and what is late into the last", () => {
    expect(Load.perBin(scale, [0, 99, 100, 450, 999, 1000, 5000])).toEqual([2, 1, 0, 0, 1, 0, 0, 0, 0, 3])
  })
})

describe("Load.draw", () => {
  const draw = (glyphs: Paint.Glyphs) =>
    Load.draw(
      { width: 80, colour: false, glyphs },
      [
        { name: "a", tone: "good", atMillis: [0, 150, 160, 950] },
        { name: "b", tone: "bad", atMillis: [400, 410, 420, 430] }
      ],
      scale
    ).map((line) => Paint.text(line).trimEnd())

  it("draws all tracks on one scale and marks a stretch of time", () => {
    expect(draw(Paint.ascii)).toEqual([
      "                      at most 2",
      "",
      "           #",
      "   a      ##       #",
      "              #       at most 4",
      "              #",
      "              #",
      "   b          #",
      "          ' 0 ! = ' 700 ms"
    ])
  })
})
