import { describe, expect, it } from "@effect/vitest"
import * as Figure from "../src/Figure.ts"
import type { Style } from "../src/Paint.ts"
import * as Paint from "../src/Paint.ts"
import type { Run } from "../src/Run.ts"
import * as Runs from "./Runs.ts"

const plain: Style = { width: 80, colour: false, glyphs: Paint.ascii }

const drawn = (style: Style, ...runs: ReadonlyArray<Run>) =>
  Figure.draw(style, runs).map((line) => Paint.render(style, line))

const many = await Promise.all([1, 2, 5, 7, 20, 40, 200].map(Runs.many))
const five = many.slice(2, 3)

describe("Figure.draw", () => {
  it("draws attempts and waits to scale, in ASCII", () => {
    expect(drawn({ ...plain, width: 72 }, Runs.twoFailures)).toEqual([
      "   ours    #----- 98 ms ------#-------------- 198 ms --------------o",
      "           503: Server        503: Server                          200",
      "   ours: succeeded, 3 attempts, 302 ms"
    ])
  })

  it("draws an attempt that hangs as long as it hung, in Unicode", () => {
    expect(drawn({ ...plain, width: 72, glyphs: Paint.unicode }, Runs.cut)).toEqual([
      "   ours    ■━━━━━━━━━━━━━━━━━━━ 500 ms ━━━━━━━━━━━━━━━━━━━╳────────●",
      "           hang: Timeout                                           200",
      "   ours: succeeded, 2 attempts, 602 ms"
    ])
  })

  it("draws all runs to one scale, and says how each ended", () => {
    expect(drawn({ ...plain, width: 72 }, Runs.refused, Runs.final)).toEqual([
      "   ours    #----------------------- 478 ms ------------------------#",
      "           503: Server                                             503",
      "   ours    #",
      "           404: Terminal",
      "   ours: failed, 2 attempts, 482 ms; ours: failed, 1 attempt, 2 ms"
    ])
  })

  it("labels an attempt that the server did not see as lost", () => {
    expect(drawn(plain, Runs.seen(Runs.cut, []))[1]).toMatch(/^ {11}lost: Timeout +lost$/)
  })

  it("keeps the labels of quick attempts apart", () => {
    expect(drawn({ ...plain, width: 40 }, ...five)[1]).toMatch(/^ {11}503 503 503 +503 +503$/)
  })

  it.each([40, 57, 80, 120])("stays within %d columns, whatever happened", (width) => {
    const runs = [Runs.twoFailures, Runs.hinted, Runs.cut, Runs.refused, Runs.final, ...many]
    const lines = [Paint.ascii, Paint.unicode].flatMap((glyphs) => {
      const style = { ...plain, width, glyphs }
      return [...runs.flatMap((run) => drawn(style, run)), ...drawn(style, ...runs)]
    })
    expect(lines.filter((line) => line.length > width)).toEqual([])
  })

  it("has the same text with colours and without", () => {
    const lines = Figure.draw(plain, [Runs.cut, Runs.final])
    const codes = new RegExp(`${"\u001B"}\\[\\d+m`, "g")
    const coloured = lines.map((line) => Paint.render({ ...plain, colour: true }, line))
    expect(coloured.filter((line) => line.search(codes) >= 0).length).toBeGreaterThan(lines.length / 2)
    expect(coloured.map((line) => line.replace(codes, "").trimEnd())).toEqual(
      lines.map((line) => Paint.render(plain, line))
    )
  })
})
