import { read } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"
import { derived } from "./Derived.ts"

const page = read("docs/effect-4.md")

const blocks = Array.from(
  page.matchAll(/<!-- derived: (\S+) -->\n```diff\n([\s\S]*?)```/g),
  ([, file = "", lines = ""]) => ({ file, lines: lines.trimEnd().split("\n") })
)

const marked = (lines: ReadonlyArray<string>, mark: string) =>
  lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1))

describe("docs/effect-4.md", () => {
  it.each(blocks)("shows lines of $file as they are derived", ({ file, lines }) => {
    const source = read(file)
    const { text } = derived(source)
    const [before, after] = [source.split("\n"), text.split("\n")]
    expect(before).toEqual(expect.arrayContaining(marked(lines, "-")))
    expect(after).toEqual(expect.arrayContaining(marked(lines, "+")))
    expect(after).not.toEqual(expect.arrayContaining(marked(lines, "-")))
  })

  it("has a marker above each of its blocks", () => {
    expect(page.match(/^```diff/gm)).toHaveLength(blocks.length)
  })
})
