import { read } from "@effect-retry/check/Workspace"
import { Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { derived, effect4 } from "./Derived.ts"

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

describe("docs/from-native.md ## Names on Effect 4", () => {
  const native = read("docs/from-native.md")
  const [, after = ""] = native.split("\n## Names on Effect 4\n")
  const [section = ""] = after.split("\n## ")
  const rows = Array.from(section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm), ([, three = "", four = ""]) => [three, four])
  const ofFour = effect4("effect/Schedule")

  it.each(rows)("%s is %s there", (three = "", four = "") => {
    expect(Schedule).toHaveProperty(three)
    expect(ofFour?.has(three)).toBe(false)
    expect(ofFour?.has(four.replaceAll("`", ""))).toBe(four !== "none")
  })

  it("has every name of the page that Effect 4 does not have", () => {
    const named = Array.from(native.matchAll(/^\| .*$/gm), ([row]) => row.split("|")[1] ?? "").flatMap((cell) =>
      Array.from(cell.matchAll(/`(\w+)|\((\w+)\(/g), ([, first, inside]) => first ?? inside ?? "")
    )
    const missing = named.filter((name) => name in Schedule && ofFour?.has(name) === false)
    expect(missing.length).toBeGreaterThan(5)
    expect(missing.filter((name) => !rows.some(([three]) => three === name))).toEqual([])
  })
})
