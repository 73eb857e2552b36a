import { read } from "@effect-retry/check/Workspace"
import { pages } from "@effect-retry/effect4/PageFiles"
import { describe, expect, it } from "vitest"

const pattern = /```ts\n([\s\S]*?)```\n\n<details><summary>On Effect 4<\/summary>\n\n```diff\n([\s\S]*?)```/g

/** The blocks that have lines of Effect 4 below them, with the lines that these replace. */
const blocks = pages().flatMap((page) =>
  Array.from(read(page).matchAll(pattern), ([, code = "", changes = ""]) => ({
    page,
    code: code.split("\n"),
    replaced: changes
      .split("\n")
      .filter((line) => line.startsWith("-"))
      .map((line) => line.slice(1))
  }))
)

/** The lines that are not in the code, or not in this order. */
const missing = (code: ReadonlyArray<string>, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let at = 0
  return lines.filter((line) => {
    const found = code.indexOf(line, at)
    if (found !== -1) at = found + 1
    return found === -1
  })
}

// Without Effect 4: what replaces these lines is compared where it is derived, by `effect4`.
describe("the lines of Effect 4 below a block", () => {
  it("replace lines of the block as it is now: if not, run effect4 --sources --write", () => {
    expect(blocks.length).toBeGreaterThan(50)
    const stale = blocks.map(({ code, page, replaced }) => ({ page, lines: missing(code, replaced) }))
    expect(stale.filter(({ lines }) => lines.length > 0)).toEqual([])
  })
})
