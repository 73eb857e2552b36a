import { checkDependencies } from "@effect-retry/check/Dependencies"
import { describe, expect, it } from "vitest"

const manifest = {
  name: "@effect-retry/http",
  dependencies: { "@effect-retry/core": "workspace:^" },
  peerDependencies: { effect: "^3.22.0" }
}

const check = (...lines: ReadonlyArray<string>) =>
  checkDependencies({ manifest, sources: [{ path: "A.ts", text: lines.join("\n") }] }).map(
    ({ file, line, message }) => `${file}:${line} ${message}`
  )

describe("Dependencies.checkDependencies", () => {
  it("accepts relative imports, dependencies, peers and their modules", () => {
    const lines = [
      `import { Effect } from "effect"`,
      `import * as Option from "effect/Option"`,
      `import { Retry } from "@effect-retry/core"`,
      `export type { Policy } from "@effect-retry/core/Policy"`,
      `import { b } from "./B.ts"`
    ]
    expect(check(...lines)).toEqual([])
  })

  it.each([
    ["an import", `import { test } from "vitest"`, "vitest"],
    ["an import of types", `import type { Test } from "vitest"`, "vitest"],
    ["an import for its effect", `import "node:fs"`, "node:fs"],
    ["a re-export", `export { test } from "vitest"`, "vitest"],
    ["a re-export of everything", `export * from "vitest"`, "vitest"],
    ["a dynamic import", `export const load = () => import("vitest")`, "vitest"],
    ["a scoped name", `import { HttpClient } from "@effect/platform"`, "@effect/platform"],
    ["its own name", `import { Fetch } from "@effect-retry/http"`, "@effect-retry/http"]
  ])("finds undeclared imports in %s", (_, line, specifier) => {
    expect(check("", line)).toEqual([`A.ts:2 imports "${specifier}", which @effect-retry/http does not depend on`])
  })

  it("does not take text in comments and strings for imports", () => {
    expect(check(`// import "vitest"`, `const a = 'import "vitest"'`)).toEqual([])
  })

  it("refuses a file that does not parse", () => {
    expect(() => check("import {")).toThrow("A.ts does not parse")
  })
})
