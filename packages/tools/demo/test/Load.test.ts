import { describe, expect, it } from "@effect/vitest"
import * as Load from "../src/Load.ts"
import * as Paint from "../src/Paint.ts"

const marked = { fromMillis: 300, toMillis: 700, name: "!" }
const track = (name: string, ...atMillis: ReadonlyArray<number>): Load.Track => ({ name, tone: "good", atMillis })

const drawn = (width: number, glyphs: Paint.Glyphs) => {
  const style = { width, colour: false, glyphs }
  const tracks = [track("a", 0, 150, 160, 950), track("b", 400, 410, 420, 421)]
  return Load.draw(style, tracks, 1000, marked).map((line) => Paint.render(style, line))
}

describe("Load.perColumn", () => {
  it("counts the first instant of a column into it, and later ones into the last", () => {
    const counts = Load.perColumn(10, 1000, track("a", 0, 99, 100, 450, 999, 1000, 5000))
    expect(counts).toEqual([2, 1, 0, 0, 1, 0, 0, 0, 0, 3])
  })
})

describe("Load.draw", () => {
  it("draws all tracks on one scale and marks a stretch of time", () => {
    expect(drawn(46, Paint.ascii)).toEqual([
      "   a",
      "   max 4/s   .   ..                         .",
      "   b                      #",
      "   max 4/s                #",
      "             ' 0       == ! ======== ' 700 ms"
    ])
  })

  it.each([40, 57, 80, 120])("stays within %d columns", (width) => {
    expect(drawn(width, Paint.unicode).filter((line) => line.length > width)).toEqual([])
  })
})
