import { describe, expect, it } from "vitest"
import { count } from "../src/Count.ts"
import { add, type Kept } from "../src/Kept.ts"
import { withCount, withScore } from "../src/Page.ts"

const score = (run: number, killed: number, equivalent: number, date = "2026-11-22", commit = "a73e91d"): Kept => ({
  all: run * 2,
  run,
  killed,
  equivalent,
  date,
  commit
})

const rows = (page: string): ReadonlyArray<string> =>
  page.split("\n").filter((line) => /^\| (core|http|plan)/.test(line))

describe("withScore", () => {
  const page = [
    "Before.",
    "",
    "<!-- mutation: begin, written by `pnpm mutation <folder> --write` -->",
    "<!-- mutation: end -->",
    "",
    "After."
  ].join("\n")
  const loop = "| core/loop | 400 | 200 | 190 | 4 | 96.9 | 96 | 2026-11-22 | a73e91d |"
  const decide = "| core/decide | 20 | 10 | 10 | 0 | 100.0 | 96 | 2026-11-22 | a73e91d |"

  it("writes a row between the markers, and leaves the rest of the page", () => {
    const written = withScore(page, "core/loop", score(200, 190, 4))
    expect(rows(written)).toEqual([loop])
    expect([written.startsWith("Before.\n\n<!--"), written.endsWith("-->\n\nAfter.")]).toEqual([true, true])
  })

  it("replaces the row of the folder, and keeps those of the others in the order of the folders", () => {
    const twice = withScore(withScore(page, "core/loop", score(1, 1, 0)), "core/decide", score(10, 10, 0))
    expect(rows(withScore(twice, "core/loop", score(200, 190, 4)))).toEqual([decide, loop])
  })

  it("forgets a folder that is no longer measured", () => {
    const old = page.replace(
      "<!-- mutation: end",
      "| core/gone | 2 | 1 | 1 | 0 | 100.0 | 96 | 2026-11-22 | a73e91d |\n$&"
    )
    expect(rows(withScore(old, "core/loop", score(200, 190, 4)))).toEqual([loop])
  })

  it("refuses a page without the markers", () => {
    expect(() => withScore("Before.", "core/loop", score(1, 1, 0))).toThrow("the page lacks <!-- mutation: begin")
  })
})

describe("withCount", () => {
  it("replaces the table", () => {
    const page = "Before.\n\n<!-- count: begin, written by `pnpm mutation --count` -->\n<!-- count: end -->\n"
    const once = withCount(page, "| one |")
    expect(once).toBe(page.replace("<!-- count: end", "\n| one |\n\n$&"))
    expect(withCount(once, "| two |")).toBe(once.replace("one", "two"))
  })
})

describe("count", () => {
  it("counts the laws, the suites and the places that are interrupted before every step", () => {
    const text = [
      "it.prop(",
      "it.effect.prop(",
      "fc.assert(",
      "Laws.curve(vitest, name)",
      "Laws.curve(runner, name)",
      "interruptedBefore(at)"
    ]
    expect(count(text.join("\n"))).toEqual([3, 1, 1])
  })
})

describe("add", () => {
  it("sums the scores of files, and gives date and commit of the last one", () => {
    const scores = [
      score(3, 2, 1, "2026-11-21", "one"),
      score(5, 5, 0, "2026-11-22", "two"),
      score(0, 0, 0, "2026-11-20", "three")
    ]
    expect(add(scores)).toEqual(score(8, 7, 1, "2026-11-22", "two"))
  })
})
