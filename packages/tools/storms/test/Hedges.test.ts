import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { measured, rowOf, rows, settings } from "../src/Hedges.ts"

const page = readFileSync(new URL("../../../../docs/hedging.md", import.meta.url), "utf8")
const [, table = ""] = page.split(/<!-- \/?hedges -->/)
const cells = table.split("\n").flatMap((line) => (line.startsWith("| ") ? [line.slice(2, -2).split(" | ")] : []))

describe("rows", { timeout: 120_000 }, () => {
  it("are those of the page", () => {
    expect(cells.slice(2).map(([name]) => name)).toEqual(rows.map(({ name }) => name))
  })

  it("are read from the page with the last column", () => {
    expect(measured(page).map(({ name }) => name)).toEqual(rows.map(({ name }) => name))
    expect(measured(page)[0]).toEqual({ name: "no hedge", p99Millis: 338, work: 1 })
  })

  // One cell tells whether the table is current; all of them would take fifteen times as long.
  const decisive = rows.filter(({ name }) => name.startsWith("95th"))

  it.effect.each(decisive)("$name has the numbers of the page in its first cell", (row) =>
    Effect.map(rowOf(row, settings.slice(0, 1)), (row) => {
      expect(cells.map((cells) => cells.slice(0, 2))).toContainEqual(row)
    })
  )
})
