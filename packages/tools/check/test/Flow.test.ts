import { checkFlow, corePurity, type Purity } from "@effect-retry/check/Flow"
import { read } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"

const purity: Purity = { stages: ["classify", "decide"], modules: ["Duration"], thin: [] }

const check = (files: Record<string, string>, rules?: Purity) =>
  checkFlow({
    folder: "packages/core/src",
    name: "@effect-retry/core",
    sources: Object.entries(files).map(([path, text]) => ({ path: `packages/core/src/${path}`, text })),
    dependencies: ["effect"],
    purity: rules
  }).map(({ file, line, message }) => `${file.replace("packages/core/src/", "")}:${line} ${message}`)

describe("Flow.checkFlow", () => {
  it("accepts imports from the own stage, earlier stages and declared dependencies", () => {
    const files = {
      "index.ts": `export * as Retry from "./loop/Retry.ts"`,
      "classify/Verdict.ts": `import * as Duration from "effect/Duration"`,
      "loop/Policy.ts": `import { Verdict } from "../classify/Verdict.ts"`,
      "loop/Retry.ts": `import { Policy } from "./Policy.ts"\nimport { Effect } from "effect"`
    }
    expect(check(files, purity)).toEqual([])
  })

  it.each([
    ["an import", `import { Retry } from "../loop/Retry.ts"`],
    ["a type import", `import type { Retry } from "../loop/Retry.ts"`],
    ["a re-export", `export { Retry } from "../loop/Retry.ts"`],
    ["a re-export of everything", `export * from "../loop/Retry.ts"`],
    ["a dynamic import", `export const load = () => import("../loop/Retry.ts")`],
    ["a type by import()", `export type R = import("../loop/Retry.ts").Retry`]
  ])("finds %s from a later stage", (_, text) => {
    expect(check({ "decide/Backoff.ts": `\n${text}` })).toEqual([
      `decide/Backoff.ts:2 stage "decide" imports the later stage "loop"`
    ])
  })

  it("does not take text in comments and strings for imports", () => {
    expect(
      check({ "decide/Backoff.ts": `// import "../loop/Retry.ts"\nconst a = 'import "../loop/Retry.ts"'` })
    ).toEqual([])
  })

  it("finds a stage that imports a file above the stages", () => {
    expect(check({ "decide/Backoff.ts": `import { Retry } from "../index.ts"` })).toEqual([
      `decide/Backoff.ts:1 imports "../index.ts" from above the stages`
    ])
  })

  it("finds imports that leave src, undeclared dependencies and the own name", () => {
    const text = [
      `import "../../test/x.ts"`,
      `import "vitest"`,
      `import "node:fs"`,
      `import "@effect-retry/core/Retry"`
    ]
    expect(check({ "loop/Retry.ts": text.join("\n") })).toEqual([
      `loop/Retry.ts:1 imports "../../test/x.ts" from outside of src`,
      `loop/Retry.ts:2 imports "vitest", which the package does not depend on`,
      `loop/Retry.ts:3 imports "node:fs", which the package does not depend on`,
      `loop/Retry.ts:4 imports its own package by name: use a relative path`
    ])
  })

  it("finds folders named after nothing", () => {
    expect(check({ "decide/internal/curve.ts": "", "utils/a.ts": "" })).toEqual([
      `decide/internal/curve.ts:1 folder "internal" says nothing about its content`,
      `utils/a.ts:1 folder "utils" says nothing about its content`
    ])
  })

  it.each([
    [`import { Clock, Duration } from "effect"`, "Clock"],
    [`import { Effect as E } from "effect"`, "Effect"],
    [`import * as everything from "effect"`, "*"],
    [`import * as Clock from "effect/Clock"`, "Clock"],
    [`export { Random } from "effect"`, "Random"]
  ])("finds the impurity of %s", (text, name) => {
    expect(check({ "decide/Jitter.ts": text }, purity)).toEqual([
      expect.stringContaining(`decide/Jitter.ts:1 a pure file uses "${name}" of "effect`)
    ])
  })

  it("leaves types, later stages and thin files free", () => {
    const files = {
      "decide/Jitter.ts": `import type { Effect } from "effect"\nimport { Duration, type Clock } from "effect"`,
      "decide/Backoff.ts": `import { Schedule } from "effect"`,
      "loop/Retry.ts": `import { Effect } from "effect"`
    }
    expect(check(files, { ...purity, thin: ["decide/Backoff.ts"] })).toEqual([])
  })

  it("finds a thin file that does not need to be one", () => {
    const files = { "decide/Backoff.ts": `import { Duration } from "effect"` }
    expect(check(files, { ...purity, thin: ["decide/Backoff.ts", "decide/Gone.ts"] })).toEqual([
      `decide/Backoff.ts:1 is listed as a thin file, but is missing or pure`,
      `decide/Gone.ts:1 is listed as a thin file, but is missing or pure`
    ])
  })

  it("finds a cycle that remains at run time", () => {
    const files = {
      "loop/A.ts": `import { b } from "./B.ts"`,
      "loop/B.ts": `import { c } from "./C.ts"`,
      "loop/C.ts": `\nimport { type A } from "./A.ts"`
    }
    expect(check(files)).toEqual([`loop/C.ts:2 closes an import cycle: loop/A.ts > loop/B.ts > loop/C.ts > loop/A.ts`])
  })

  it("accepts a cycle of types", () => {
    const files = { "loop/A.ts": `import { b } from "./B.ts"`, "loop/B.ts": `import type { A } from "./A.ts"` }
    expect(check(files)).toEqual([])
  })

  it("refuses a file that does not parse", () => {
    expect(() => check({ "loop/A.ts": "import {" })).toThrow("packages/core/src/loop/A.ts does not parse")
  })
})

describe("Flow.corePurity", () => {
  it("is what docs/flow.md says", () => {
    const [, section = ""] = read("docs/flow.md").split("\n## Pure and thin\n")
    const [stages = "", modules = "", thin = ""] = section.trim().split("\n")
    const quoted = (line: string) => Array.from(line.matchAll(/`([^`]+)`/g), ([, name = ""]) => name)
    expect(quoted(stages)).toEqual(corePurity.stages)
    expect(quoted(modules)).toEqual(["effect", ...corePurity.modules])
    expect(
      quoted(thin)
        .filter((name) => name.includes("/"))
        .toSorted()
    ).toEqual(corePurity.thin.toSorted())
  })
})
