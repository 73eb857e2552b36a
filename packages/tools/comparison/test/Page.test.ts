import { beforeAll, describe, expect, it } from "vitest"
import { clients } from "../src/Clients.ts"
import * as Page from "../src/Page.ts"
import { groups } from "../src/Scenarios.ts"

describe("docs/comparison.md", () => {
  const globals = () => [globalThis.setTimeout, globalThis.fetch, globalThis.Request, globalThis.FormData]
  const before = globals()
  let tables: ReadonlyArray<Page.Table> = []

  beforeAll(async () => {
    tables = [Page.settings(), ...(await Page.tables())]
  })

  it("has forty scenarios", () => {
    expect(groups.flatMap(({ scenarios }) => scenarios).length).toBe(40)
  })

  it.each(["Settings", ...groups.map(({ heading }) => heading)])("says what was seen under %s", (heading) => {
    const [, section = ""] = `\n${Page.read()}`.split(`\n### ${heading}\n\n`)
    const [lines = ""] = section.split("\n\n")
    expect(lines.split("\n")).toEqual(tables.find((table) => table.heading === heading)?.lines)
  })

  it("is written by a run that leaves the globals of the process as they were", () => {
    expect(globals().map((one, i) => one === before[i])).toEqual([true, true, true, true])
  })

  it("has a column for each client", () => {
    expect(tables.slice(1).map(({ lines: [head] }) => head)).toEqual(
      groups.map(() => `| Server | ${clients.map(({ name }) => name).join(" | ")} |`)
    )
  })
})
