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

/** Where each client comes from, and how it is configured. */
export const settings = (): Table => ({
  heading: "Settings",
  lines: [
    line(["Client", "Package", "Configured with"]),
    line(["---", "---", "---"]),
    ...clients.map(({ from, name, settings }) => line([name, packageOf(from), settings]))
  ]
})

const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
)

/** Its own name and version; a package of this repository has no version yet. */
const packageOf = (name: string): string => {
  const version = manifest.dependencies[name] ?? ""
  if (version.startsWith("workspace:")) return name
  return version.startsWith("npm:") ? version.slice("npm:".length).replace("@", " ") : `${name} ${version}`
}

/** The tables as they stand in the page. */
export const render = (tables: ReadonlyArray<Table>): string =>
  tables.map(({ heading, lines }) => `### ${heading}\n\n${lines.join("\n")}\n`).join("\n")

const parts = (): readonly [before: string, between: string, after: string] => {
  const page = readFileSync(file, "utf8")
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/comparison.md has no "${begin}" and, after it, "${end}"`)
  return [page.slice(0, from + begin.length), page.slice(from + begin.length, to), page.slice(to)]
}

/** The tables that the page has now. */
export const read = (): string => parts()[1].trim()

export const write = (tables: ReadonlyArray<Table>): void => {
  const [before, , after] = parts()
  writeFileSync(file, `${before}\n\n${render(tables)}\n${after}`)
}
