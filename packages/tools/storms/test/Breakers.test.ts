import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { rowOf, rows } from "../src/Breakers.ts"

const page = readFileSync(new URL("../../../../docs/circuit-breakers.md", import.meta.url), "utf8")
const [, table = ""] = page.split(/<!-- .?breakers -->/)
const cells = table.split("\n").flatMap((line) => (line.startsWith("| ") ? [line.slice(2, -2).split(" | ")] : []))

describe("rows", () => {
  it("are those of the page", () => {
    expect(cells.slice(2).map(([name]) => name)).toEqual(rows.map(({ name }) => name))
  })

  // Three rows tell whether the table is current; all of them would take three times as long.
  const decisive = rows.filter(({ name }) => /per success$|of each shard|aimd/.test(name))

  it.effect.each(decisive)("$name has the numbers of the page", (row) =>
    Effect.map(rowOf(row), (row) => {
      expect(cells).toContainEqual(row)
    })
  )
})
