import * as Core from "@effect-retry/core"
import * as Http from "@effect-retry/http"
import * as Planned from "@effect-retry/plan"
import * as Testing from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { read, root } from "./rows.ts"

const pages = [
  "README.md",
  "packages/core/README.md",
  "packages/http/README.md",
  "packages/plan/README.md",
  "packages/testing/README.md",
  ...readdirSync(new URL("docs/", root), { encoding: "utf8" }).map((file) => `docs/${file}`)
]

const modules = new Map<string, object>(Object.entries({ ...Core, ...Http, ...Planned, ...Testing }))

describe("names", () => {
  it.each(pages)("of values in %s exist", (page) => {
    const named = Array.from(read(page).matchAll(/\b([A-Z]\w+)\.([a-z]\w*)\b(?!\.ts)/g), ([name, module, member]) => ({
      name,
      module: modules.get(module ?? ""),
      member: member ?? ""
    }))
    const missing = named.filter(({ member, module }) => module !== undefined && member !== "ts" && !(member in module))
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})
