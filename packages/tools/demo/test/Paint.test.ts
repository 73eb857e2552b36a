import { describe, expect, it } from "@effect/vitest"
import * as Paint from "../src/Paint.ts"

const terminal = { isTTY: true, columns: 100 }
const utf8 = { LANG: "en_GB.UTF-8", TERM: "xterm" }

describe("Paint.style", () => {
  it.each([
    ["a terminal", utf8, terminal, { width: 100, colour: true, glyphs: Paint.unicode }],
    ["a file", utf8, {}, { width: 80, colour: false, glyphs: Paint.unicode }],
    ["a file and no environment", {}, {}, { width: 80, colour: false, glyphs: Paint.ascii }],
    ["NO_COLOR", { ...utf8, NO_COLOR: "1" }, terminal, { width: 100, colour: false, glyphs: Paint.unicode }],
    ["an empty NO_COLOR", { ...utf8, NO_COLOR: "" }, terminal, { width: 100, colour: true, glyphs: Paint.unicode }],
    ["a dumb terminal", { ...utf8, TERM: "dumb" }, terminal, { width: 100, colour: false, glyphs: Paint.unicode }],
    ["the C locale", { LANG: "C", TERM: "xterm" }, terminal, { width: 100, colour: true, glyphs: Paint.ascii }],
    ["LC_ALL before LANG", { ...utf8, LC_ALL: "POSIX" }, terminal, { width: 100, colour: true, glyphs: Paint.ascii }],
    ["a locale in lower case", { LC_CTYPE: "C.utf8" }, terminal, { width: 100, colour: true, glyphs: Paint.unicode }],
    ["a wide terminal", utf8, { isTTY: true, columns: 300 }, { width: 120, colour: true, glyphs: Paint.unicode }],
    ["a narrow terminal", utf8, { isTTY: true, columns: 45 }, { width: 45, colour: true, glyphs: Paint.unicode }],
    ["a tiny terminal", utf8, { isTTY: true, columns: 20 }, { width: 40, colour: true, glyphs: Paint.unicode }],
    ["COLUMNS and a pipe", { ...utf8, COLUMNS: "60" }, {}, { width: 60, colour: false, glyphs: Paint.unicode }],
    ["COLUMNS that is no number", { ...utf8, COLUMNS: "x" }, {}, { width: 80, colour: false, glyphs: Paint.unicode }],
    ["FORCE_COLOR and a pipe", { ...utf8, FORCE_COLOR: "1" }, {}, { width: 80, colour: true, glyphs: Paint.unicode }],
    ["an empty FORCE_COLOR", { ...utf8, FORCE_COLOR: "" }, {}, { width: 80, colour: true, glyphs: Paint.unicode }],
    ["FORCE_COLOR of 0", { ...utf8, FORCE_COLOR: "0" }, terminal, { width: 100, colour: false, glyphs: Paint.unicode }],
    [
      "FORCE_COLOR beside NO_COLOR",
      { ...utf8, FORCE_COLOR: "1", NO_COLOR: "1" },
      {},
      { width: 80, colour: true, glyphs: Paint.unicode }
    ],
    ["a terminal of no width", utf8, { isTTY: true, columns: 0 }, { width: 80, colour: true, glyphs: Paint.unicode }]
  ])("fits %s", (_, env, output, style) => {
    expect(Paint.style(env, output)).toEqual(style)
  })
})

describe("Paint.render", () => {
  const line = [Paint.span("plain "), Paint.span("good", "good"), Paint.span("   ")]

  it("colours what has a tone", () => {
    expect(Paint.render({ width: 80, colour: true, glyphs: Paint.unicode }, line)).toBe(
      "plain \u001B[32mgood\u001B[0m   "
    )
  })

  it("writes plain text without codes and without blanks at the end", () => {
    expect(Paint.render({ width: 80, colour: false, glyphs: Paint.unicode }, line)).toBe("plain good")
  })
})

describe("Paint.paragraph", () => {
  const wrapped = (width: number, text: string) =>
    Paint.paragraph({ width, colour: false, glyphs: Paint.ascii }, 2, text).map((line) => line[0]?.text)

  it("breaks at blanks, fills each line and indents it", () => {
    expect(wrapped(12, "one two three four")).toEqual(["  one two", "  three four"])
  })

  it("leaves a word alone that is longer than the line", () => {
    expect(wrapped(6, "a incomprehensible b")).toEqual(["  a", "  incomprehensible", "  b"])
  })
})

describe("Paint.put", () => {
  it("drops what does not fit", () => {
    const cells = Paint.blank(4)
    Paint.put(cells, 2, "long", "good")
    expect(cells.map(({ text }) => text).join("")).toBe("  lo")
  })
})

describe("Paint.millis", () => {
  it.each([
    [0, "0 ms"],
    [187.4, "187 ms"],
    [1000, "1 s"],
    [1254, "1.25 s"]
  ])("writes %d as %s", (millis, text) => {
    expect(Paint.millis(millis)).toBe(text)
  })
})

describe("Paint.count", () => {
  it.each([
    [0, "0 requests"],
    [1, "1 request"],
    [1204, "1,204 requests"]
  ])("writes %d as %s", (count, text) => {
    expect(Paint.count(count, "request")).toBe(text)
  })
})

describe("Paint.ascii", () => {
  it("has a glyph of one printable ASCII character for each of unicode, and bars", () => {
    const { bars, ...glyphs } = Paint.ascii
    expect(Object.keys(Paint.ascii)).toEqual(Object.keys(Paint.unicode))
    for (const glyph of Object.values(glyphs)) expect(glyph).toMatch(/^[!-~]$/)
    for (const bar of bars) expect(bar).toMatch(/^[ -~]$/)
  })
})
