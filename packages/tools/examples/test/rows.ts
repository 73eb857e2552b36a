/** Tables in Markdown whose every row is executed by a test. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"

export const root = new URL("../../../../", import.meta.url)

export const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

/** The pages for users: the root's, those of the packages, and the guides. */
export const pages: ReadonlyArray<string> = [
  "README.md",
  ...readdirSync(new URL("packages/", root), { encoding: "utf8" }).map((folder) => `packages/${folder}/README.md`),
  ...readdirSync(new URL("docs/", root), { encoding: "utf8" }).map((file) => `docs/${file}`)
].filter((path) => path.endsWith(".md") && existsSync(new URL(path, root)))

/** What a page says of Effect 4 alone. */
const onFour = /^<details><summary>On Effect 4<\/summary>\n.*?^<\/details>$/gms

/** The rows of the table below a heading, as the texts of their cells. */
export const rowsOf = (path: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, after = ""] = read(path).replaceAll(onFour, "").split(`\n${heading}\n`)
  const [section = ""] = after.split(/\n#+ /)
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    )
}

/** The story of this name, of those that the tests of a package run. */
export const storyOf = <S extends { readonly name: string }>(stories: ReadonlyArray<S>, name: string): S => {
  const story = stories.find((story) => story.name === name)
  if (story === undefined) throw new Error(`no such story: ${name}`)
  return story
}

/**
 * A `describe` for each row of a table, named by its first cell; no row without one, and none without a row. `around` is
 * called inside of each with the cells of its row, for what holds of every row.
 */
export const tableOf = (
  path: string,
  heading: string,
  rows: Readonly<Record<string, () => void>>,
  around: (cells: ReadonlyArray<string>) => void = () => {}
): void => {
  const cells = new Map(rowsOf(path, heading).map((row) => [row[0], row]))
  describe(`${path} ${heading}`, () => {
    it("has a row for each of these tests", () => {
      expect(rowsOf(path, heading).map(([first]) => first)).toEqual(Object.keys(rows))
    })
    describe.each(Object.entries(rows))("%s", (name, body) => {
      around(cells.get(name) ?? [])
      body()
    })
  })
}
