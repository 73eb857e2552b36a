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
    ["a narrow terminal", utf8, { isTTY: true, columns: 20 }, { width: 72, colour: true, glyphs: Paint.unicode }],
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
    Paint.paragraph({ width, colour: false, glyphs: Paint.ascii }, 2, text).map(Paint.text)

  it("breaks at blanks, fills each line and indents it", () => {
    expect(wrapped(12, "one two three four")).toEqual(["  one two", "  three four"])
  })

  it("leaves a word alone that is longer than the line", () => {
    expect(wrapped(6, "a incomprehensible b")).toEqual(["  a", "  incomprehensible", "  b"])
  })
})

describe("Paint.put", () => {
  it("loses what does not fit", () => {
    const cells = Paint.blank(4)
    Paint.put(cells, 2, "long", "good")
    expect(Paint.spans(cells)).toEqual([Paint.span("  "), Paint.span("lo", "good")])
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
