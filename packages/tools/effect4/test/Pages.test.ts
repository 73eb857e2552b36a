import { installed } from "@effect-retry/effect4/names/installs"
import { changes, forFour, show } from "@effect-retry/effect4/Pages"
import { describe, expect, it } from "vitest"

const file = "packages/tools/examples/src/a.ts"
const block = (...lines: ReadonlyArray<string>) => ["```ts", ...lines, "```"].join("\n")
const marker = `<!-- example: ${file} -->`
const below = (...lines: ReadonlyArray<string>) =>
  ["", "", "<details><summary>On Effect 4</summary>", "", "```diff", ...lines, "```", "", "</details>"].join("\n")

/** A page that installs packages, as it is shown. */
const installing = (above: string): string =>
  [
    `${above}With Effect 3:`,
    "```sh\nnpm install @effect-retry/core@0 effect@3\n```",
    "With Effect 4:",
    "```sh\nnpm install @effect-retry/core@4 effect@4\n```",
    "After."
  ].join("\n\n")

const refreshed = (text: string, three: string | undefined, four: string | undefined) =>
  show({ path: "page.md", text, three: () => three, four: () => four })

describe("Pages.show", () => {
  const page = ["Before.", "", marker, block("one", "two"), "", "After."].join("\n")
  const shown = page.replace("\n\nAfter.", `${below("-two", "+second")}\n\nAfter.`)

  it("adds the lines that differ, and finds them missing", () => {
    const { findings, refreshed: text } = refreshed(page, "one\ntwo\n", "one\nsecond\n")
    expect(text).toBe(shown)
    expect(findings.map(({ file, line }) => `${file}:${line}`)).toEqual(["page.md:7"])
  })

  it("leaves what is derived as it is", () => {
    expect(refreshed(shown, "one\ntwo\n", "one\nsecond\n")).toEqual({ findings: [], refreshed: shown })
  })

  it.each([
    ["is otherwise by now", "one\nlast\n", page.replace("\n\nAfter.", `${below("-two", "+last")}\n\nAfter.`)],
    ["is the same on both lines by now", "one\ntwo\n", page]
  ])("replaces what %s", (_, four, expected) => {
    const { findings, refreshed: text } = refreshed(shown, "one\ntwo\n", four)
    expect(text).toBe(expected)
    expect(findings).toHaveLength(1)
  })

  it.each([page, shown])("leaves a block alone whose file is not derived", (text) => {
    expect(refreshed(text, "one\ntwo\n", undefined)).toEqual({ findings: [], refreshed: text })
  })

  it("shows what differs in a region", () => {
    const text = [marker.replace(" -->", "#b -->"), block("two")].join("\n")
    const source = (line: string) => ["one", "// #region b", line, "// #endregion", line].join("\n")
    expect(refreshed(text, source("two"), source("second")).refreshed).toBe(`${text}${below("-two", "+second")}`)
  })

  it.each(["Before.\n\n", "With Effect 3:\n\n"])("shows whole what is installed on both, below %j", (above) => {
    const text = `${above}\`\`\`sh\nnpm install @effect-retry/core@0 effect@3\n\`\`\`\n\nAfter.`
    const { findings, refreshed: shown } = refreshed(text, undefined, undefined)
    expect(shown).toBe(installing(above.replace("With Effect 3:\n\n", "")))
    expect(findings).toHaveLength(1)
    expect(refreshed(shown, undefined, undefined)).toEqual({ findings: [], refreshed: shown })
  })

  it.each(["```sh\nnode first.js\n```", "```text\neffect@3\n```", block("one")])("shows nothing below %j", (text) => {
    expect(refreshed(text, "one\n", "two\n")).toEqual({ findings: [], refreshed: text })
  })
})

/** What a page says itself of Effect 4. */
const told = (...lines: ReadonlyArray<string>) =>
  ["", "<details><summary>On Effect 4</summary>", "", ...lines, "", "</details>"].join("\n")

const table = "| Name | Value |\n| --- | --- |\n| `a` | 1 |\n| `b` | 2 |"
const text = "```text\none\ntwo\nthree\n```"

describe("Pages.show, of what a page says itself", () => {
  const kept = [
    ["rows", `${table}\n${told("| Name | Value |", "| --- | --- |", "| `b` | 3 |")}`],
    ["lines", `${text}\n${told("```diff", "-two", "+second", "```")}`]
  ]

  it.each(kept)("keeps %s", (_, page) => {
    expect(refreshed(page, undefined, undefined)).toEqual({ findings: [], refreshed: page })
  })

  it.each(kept)("finds %s that stand for none", (_, page) => {
    const strange = page.replace("`b` | 3", "`c` | 3").replace("-two", "-2")
    const { findings } = refreshed(strange, undefined, undefined)
    expect(findings.map(({ message }) => message)).toEqual([expect.stringMatching(/^has no line for this one/)])
  })
})

describe("Pages.forFour", () => {
  it("has the rows of Effect 4 in place of others", () => {
    const page = `${table}\n${told("`b` is `c`.", "", "| Name | Value |", "| --- | --- |", "| `b` | 3 |")}\n\nAfter.`
    expect(forFour({ text: page, four: () => undefined })).toBe(`${table.replace("2", "3")}\n\nAfter.`)
  })

  it("has the lines that a program prints there", () => {
    const page = `${text}\n${told("```diff", "-one", "-two", "+1", "+2", "+2b", "```")}\n\nAfter.`
    const expected = text.replace("one\ntwo", "1\n2\n2b")
    expect(forFour({ text: page, four: () => undefined })).toBe(`${expected}\n\nAfter.`)
  })

  it("has the code of Effect 4 alone, and names in prose as they are there", () => {
    const text = `Like \`Effect.catchAll\`:\n\n${marker}\n${block("one", "two")}${below("-two", "+second")}\n\nAfter.`
    expect(forFour({ text, four: () => "one\nsecond\n" })).toBe(
      `Like \`Effect.catch\`:\n\n${marker}\n${block("one", "second")}\n\nAfter.`
    )
  })

  it("keeps what installs packages for both", () => {
    expect(forFour({ text: installing(""), four: () => undefined })).toBe(installing(""))
  })
})

describe("Pages.changes", () => {
  it.each([
    ["nothing", ["a", "b"], ["a", "b"], []],
    ["a line", ["a", "b", "c"], ["a", "d", "c"], ["-b", "+d"]],
    ["lines apart", ["a", "", "b"], ["c", "", "d"], ["-a", "+c", "-b", "+d"]],
    ["what comes", ["a"], ["b", "a", "c"], ["+b", "+c"]],
    ["what goes", ["b", "a", "c"], ["a"], ["-b", "-c"]],
    ["the longest that is common", ["}", "a", "}", "b"], ["a", "}", "c"], ["-}", "-b", "+c"]],
    ["everything", ["a", "b"], ["c"], ["-a", "-b", "+c"]]
  ])("has %s", (_, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected)
  })
})

describe("names/installs", () => {
  it.each([
    ["npm install @effect-retry/http@0 effect@3 @effect/platform@0.97", "npm install @effect-retry/http@4 effect@4"],
    ["npm install ioredis@5", "npm install ioredis@5"],
    [
      "npm install --save-dev @effect-retry/testing@0 effect@3",
      "npm install --save-dev @effect-retry/testing@4 fast-check@3 effect@4"
    ],
    ["npm install @effect/platform-node@0.108", "npm install @effect/platform-node@4"]
  ])("installs for %j what Effect 4 needs", (three, four) => {
    expect(installed([three])).toEqual([four])
  })

  it("leaves out a line that installs what Effect 4 contains", () => {
    expect(installed(["npm install --save-dev @effect/platform@0.97", "node first.js"])).toEqual(["node first.js"])
  })
})
