import { checkSnippets } from "@effect-retry/check/Snippets"
import { describe, expect, it } from "vitest"

const file = "packages/tools/examples/src/hello.ts"

const source = `import { Effect } from "effect"

// #region greeting
  const a = 1

  const b = 2
// #endregion
`

const check = (...lines: ReadonlyArray<string>) =>
  checkSnippets({
    path: "README.md",
    text: lines.join("\n"),
    example: (path) => (path === file ? source : undefined)
  })

const messages = (...lines: ReadonlyArray<string>) =>
  check(...lines).findings.map(({ line, message }) => `${line} ${message}`)

const marker = `<!-- example: ${file}#greeting -->`

describe("Snippets.checkSnippets", () => {
  it("accepts the text of the region without its indentation", () => {
    expect(messages("# Title", marker, "```ts", "const a = 1", "", "const b = 2", "```", "end")).toEqual([])
  })

  it("accepts the text of the whole file without the region lines", () => {
    const whole = ['import { Effect } from "effect"', "", "  const a = 1", "", "  const b = 2"]
    expect(messages(`<!-- example: ${file} -->`, "```ts", ...whole, "```")).toEqual([])
  })

  it("accepts a block inside a list", () => {
    expect(messages("- item", `  ${marker}`, "  ```ts", "  const a = 1", "", "  const b = 2", "  ```")).toEqual([])
  })

  it("leaves other languages and blocks inside other blocks alone", () => {
    expect(messages("```sh", "ls", "```", "````md", marker, "```ts", "const c = 3", "```", "````")).toEqual([])
  })

  it.each([["ts"], ["typescript"], ["TS"], ["ts twoslash"]])("finds a %s block without marker", (info) => {
    expect(messages("text", "```" + info, "const a = 1", "```")).toEqual([
      "2 code block without a marker: <!-- example: packages/tools/examples/src/<file>.ts -->"
    ])
  })

  it.each([
    ["changed", ["const a = 1", "", "const b = 3"], 5],
    ["missing", ["const a = 1"], 4],
    ["added", ["const a = 1", "", "const b = 2", "const c = 3"], 6],
    ["emptied", [], 3]
  ])("finds a line that was %s", (_, lines, at) => {
    expect(messages(marker, "```ts", ...lines, "```")).toEqual([
      `${at} differs from ${file}: run check snippets --write`
    ])
  })

  it.each([
    ["<!-- example: packages/tools/examples/src/gone.ts -->", "no such file"],
    ["<!-- example: packages/tools/comparison/src/gone.ts -->", "no such file"],
    ["<!-- example: packages/core/src/index.ts -->", "examples live in packages/tools/examples/src/"],
    [`<!-- example: ${file}#farewell -->`, 'no region "farewell"']
  ])("finds a marker that leads nowhere: %s", (bad, message) => {
    expect(messages(bad, "```ts", "```")).toEqual([expect.stringContaining(message)])
  })

  it("finds a marker without block", () => {
    expect(messages(marker, "", "```ts", "```")).toEqual([
      "1 marker without a code block below it",
      "3 code block without a marker: <!-- example: packages/tools/examples/src/<file>.ts -->"
    ])
  })

  it("refreshes what differs and nothing else", () => {
    const { refreshed } = check("# Title", marker, "```ts", "old", "```", "", "```ts", "unmarked", "```", "end")
    const expected = [
      "# Title",
      marker,
      "```ts",
      "const a = 1",
      "",
      "const b = 2",
      "```",
      "",
      "```ts",
      "unmarked",
      "```",
      "end"
    ]
    expect(refreshed).toBe(expected.join("\n"))
  })
})
