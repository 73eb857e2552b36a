import { describe, expect, it } from "@effect/vitest"
import { workloads } from "../src/Workloads.ts"

const all = workloads(() => {})

describe("Workloads.workloads", () => {
  it("have different titles, by which they are asked for", () => {
    expect([...new Set(all.map(({ title }) => title))]).toEqual(all.map(({ title }) => title))
  })

  it.each(all)("$title compares its rows with one of them", ({ baseline, rows }) => {
    expect(rows.filter(({ name }) => name === baseline)).toHaveLength(1)
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  })
})
