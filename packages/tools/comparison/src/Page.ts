/**
 * The tables of docs/comparison.md, between the markers of that page.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { cell } from "./Cell.ts"
import { clients } from "./Clients.ts"
import * as Run from "./Run.ts"
import { groups } from "./Scenarios.ts"

const file = new URL("../../../../docs/comparison.md", import.meta.url)
const begin = "<!-- scenarios: begin, written by `pnpm comparison --write` -->"
const end = "<!-- scenarios: end -->"

/** A table in Markdown, and its heading. */
export interface Table {
  readonly heading: string
  readonly lines: ReadonlyArray<string>
}

/** Runs all scenarios. */
export const tables = async (): Promise<ReadonlyArray<Table>> => {
  const seen = await Run.all(
    groups.flatMap(({ scenarios }) => scenarios),
    clients
  )
  let row = 0
  return groups.map(({ heading, scenarios }) => ({
    heading,
    lines: [
      line(["Server", ...clients.map(({ name }) => name)]),
      line(["Server", ...clients].map(() => "---")),
      ...scenarios.map((scenario) => line([scenario.name, ...(seen[row++] ?? []).map((one) => cell(scenario, one))]))
    ]
  }))
}

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** How each client is configured. */
export const settings = (): Table => ({
  heading: "Settings",
  lines: [
    line(["Client", "Configured with"]),
    line(["---", "---"]),
    ...clients.map((client) => line([client.name, client.settings]))
  ]
})

/** The tables as they stand in the page. */
export const render = (tables: ReadonlyArray<Table>): string =>
  tables.map(({ heading, lines }) => `### ${heading}\n\n${lines.join("\n")}\n`).join("\n")

const parts = (): readonly [before: string, between: string, after: string] => {
  const page = readFileSync(file, "utf8")
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/comparison.md has no "${begin}" and, after it, "${end}"`)
  return [page.slice(0, from + begin.length), page.slice(from + begin.length, to), page.slice(to)]
}

/** What stands in the page. */
export const read = (): string => parts()[1].trim()

export const write = (tables: ReadonlyArray<Table>): void => {
  const [before, , after] = parts()
  writeFileSync(file, `${before}\n\n${render(tables)}\n${after}`)
}
