import { read, root } from "@effect-retry/check/Workspace"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"

const stages = ["accept", "classify", "decide", "fund", "loop", "observe"]

type Files = Readonly<Record<string, string>>

/** Files for one run of the linter, which takes longer to start than to look at them. */
const planted: Record<string, string> = { ".oxlintrc.json": read(".oxlintrc.json") }
const findings: Array<string> = []

/** Plants files in a package of their own, and answers how to ask which rules they break. */
const plant = (name: string, files: Files) => {
  for (const [path, text] of Object.entries(files)) planted[`packages/${name}/${path}`] = text
  return () =>
    findings
      .filter((finding) => finding.startsWith(`packages/${name}/`))
      .map((finding) => finding.replace(/^packages\/[^/]+\/src\/([^:]+):(\d+):.*\((.*)\)\]$/, "$1:$2 $3"))
}

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "effect-retry-lint-"))
  try {
    for (const [path, text] of Object.entries(planted)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const oxlint = join(root, "node_modules/.bin/oxlint")
    const { stdout } = spawnSync(oxlint, ["--format", "unix", "packages"], { cwd: folder, encoding: "utf8" })
    findings.push(...stdout.split("\n").filter((line) => line.startsWith("packages/")))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

describe("import/no-cycle", () => {
  const closedBy = (name: string, line: string) =>
    plant(name, {
      "src/loop/A.ts": `import { b } from "./B.ts"\nexport const a = b`,
      "src/loop/B.ts": `import { c } from "./C.ts"\nexport const b = c`,
      "src/loop/C.ts": `${line}\nexport const c = 1`
    })

  const circles = [
    { by: "an import", line: `import { a } from "./A.ts"\nexport const d = a` },
    { by: "an import of types", line: `import type { a } from "./A.ts"\nexport type A = typeof a` },
    { by: "an import of a type among values", line: `import { type a } from "./A.ts"\nexport type A = typeof a` },
    { by: "a re-export", line: `export { a } from "./A.ts"` },
    { by: "a re-export of types", line: `export type { a } from "./A.ts"` },
    { by: "a re-export of everything", line: `export * from "./A.ts"` }
  ].map(({ by, line }, index) => ({ by, broken: closedBy(`circle-${index}`, line) }))

  it.each(circles)("finds a circle that is closed by $by", ({ broken }) => {
    expect(broken()).toEqual(expect.arrayContaining(["loop/A.ts:1 no-cycle", "loop/C.ts:1 no-cycle"]))
  })

  const tree = closedBy("tree", "export const d = 1")

  it("accepts files that import each other in one direction", () => {
    expect(tree()).toEqual([])
  })
})

describe("the flow rule", () => {
  const pairs = stages.flatMap((from, i) =>
    stages.map((to, j) => ({
      from,
      to,
      allowed: j <= i,
      broken: plant(`${from}-${to}`, {
        [`src/${from}/Importing.ts`]: `export { one } from "../${to}/Imported.ts"`,
        [`src/${to}/Imported.ts`]: "export const one = 1"
      })
    }))
  )

  it.each(pairs.filter(({ allowed }) => allowed))("lets $from import $to", ({ broken }) => {
    expect(broken()).toEqual([])
  })

  it.each(pairs.filter(({ allowed }) => !allowed))("does not let $from import $to", ({ broken, from }) => {
    expect(broken()).toEqual([`${from}/Importing.ts:1 no-restricted-imports`])
  })

  const ways = [
    { what: "types", line: `import type { A } from "../loop/Retry.ts"\nexport type B = A` },
    { what: "and re-export everything", line: `export * from "../loop/Retry.ts"` },
    { what: "when it runs", line: `export const load = () => import("../loop/Retry.ts")` },
    {
      what: "a type by import()",
      line: `export type R = import("../loop/Retry.ts").Retry`,
      rule: "consistent-type-imports"
    },
    { what: "the index", line: `export { Retry } from "../index.ts"` },
    { what: "a file outside of src", line: `export { a } from "../../test/A.ts"` },
    { what: "another package by its path", line: `export { a } from "../../../http/src/index.ts"` }
  ].map(({ line, rule = "no-restricted-imports", what }, index) => ({
    what,
    rule,
    broken: plant(`way-${index}`, { "src/decide/Backoff.ts": line })
  }))

  it.each(ways)("does not let decide import $what", ({ broken, rule }) => {
    expect(broken()).toEqual([`decide/Backoff.ts:1 ${rule}`])
  })

  const index = plant("index", {
    "src/index.ts": stages.map((stage) => `export * as ${stage} from "./${stage}/A.ts"`).join("\n")
  })

  it("lets the index import every stage", () => {
    expect(index()).toEqual([])
  })
})

describe("what Effect does not declare", () => {
  const touches = ["_fiberRefs", "currentRuntimeFlags", "setFiberRef", "setFiberRefs", "tell", "getChildren", "_op"]
  const text = touches.map((touch) => `export const ${touch} = (fiber) => fiber.${touch}`).join("\n")
  const core = plant("core", {
    "src/loop/Touching.ts": text,
    "src/fund/fiber/Undeclared.ts": text,
    "src/fund/fiber/Declared.ts": "export const b = () => [FiberRef.currentRuntimeFlags, Effect.setFiberRefs]"
  })

  it("is touched in one file, and what is declared everywhere", () => {
    const found = core().filter((finding) => finding.endsWith("no-restricted-properties"))
    expect(found).toEqual(touches.map((_, index) => `loop/Touching.ts:${index + 1} no-restricted-properties`))
  })
})

describe("what Effect 3 and Effect 4 have in another shape", () => {
  const touches = [
    "clock.unsafeCurrentTimeNanos()",
    "fiber.unsafePoll()",
    "fiber.currentContext",
    "Effect.withFiberRuntime",
    "Cause.dieOption",
    "backoff.initial",
    "FiberRef.get",
    "Runtime.runFork"
  ]
  const text = touches.map((touch, index) => `export const a${index} = ${touch}`).join("\n")
  const names = ["plan", "testing", "http", "aws", "google", "grpc", "any-other"]
  const broken = new Map(
    names.map((name) => [name, plant(name, { "src/Differing.ts": text, "src/run/DifferingLine.ts": text })])
  )

  it.each(names)("is touched by %s in files of which each line has its own", (name) => {
    const found = broken.get(name)!().filter((finding) => /Differing.*no-restricted-properties$/.test(finding))
    expect(found).toEqual(touches.map((_, index) => `Differing.ts:${index + 1} no-restricted-properties`))
  })
})

describe("the folders of loop", () => {
  const importing = (name: string, path: string) =>
    plant(name, { "src/loop/folder/A.ts": `export { a } from "${path}"` })

  const seen = [
    "./B.ts",
    "../other/B.ts",
    ...["accept", "classify", "decide", "fund"].map((stage) => `../../${stage}/B.ts`)
  ]
  const paths = seen.map((path, index) => ({ path, broken: importing(`loop-${index}`, path) }))

  it.each(paths)("may import $path", ({ broken }) => {
    expect(broken()).toEqual([])
  })

  const ways = ["../B.ts", "../../index.ts", "../../observe/B.ts", "../../../test/B.ts"].map((path, index) => ({
    path,
    broken: importing(`loop-out-${index}`, path)
  }))

  it.each(ways)("are not left for $path", ({ broken }) => {
    expect(broken()).toEqual(["loop/folder/A.ts:1 no-restricted-imports"])
  })
})

describe("the folders of fund", () => {
  const importing = (name: string, file: string, path: string) =>
    plant(name, { [`src/fund/${file}.ts`]: `export { a } from "${path}"` })

  const stagesSeen = stages.map((stage, index) => ({
    stage,
    broken: importing(`folder-${index}`, "queue/A", stage === "fund" ? "../fair/B.ts" : `../../${stage}/B.ts`)
  }))

  it("see the stages that fund sees", () => {
    const refused = stagesSeen.filter(({ broken }) => broken().length > 0)
    expect(refused.map(({ stage }) => stage)).toEqual(["loop", "observe"])
  })

  const ways = ["../B.ts", "../../index.ts", "../../../test/B.ts", "../../../../http/src/index.ts"].map(
    (path, index) => ({ path, broken: importing(`out-${index}`, "queue/A", path) })
  )

  it.each(ways)("are not left for $path", ({ broken }) => {
    expect(broken()).toEqual(["fund/queue/A.ts:1 no-restricted-imports"])
  })

  const folders = ["store", "fleet", "lease", "bucket", "redis", "postgres"]
  const fleet = plant(
    "fleet",
    Object.fromEntries(
      folders.flatMap((from) =>
        folders.map((to) => [`src/fund/${from}/To${to}.ts`, `export { a } from "../${to}/A.ts"`] as const)
      )
    )
  )

  it("of fleet are in order, and neither store knows of the other", () => {
    const later = folders.flatMap((from, i) =>
      folders.filter((to, j) => j > i || (from === "postgres" && to === "redis")).map((to) => `fund/${from}/To${to}.ts`)
    )
    expect(fleet().toSorted()).toEqual(later.map((file) => `${file}:1 no-restricted-imports`).toSorted())
  })
})

describe.each([
  { name: "plan", rooms: ["chance", "clock", "bounds", "explain", "sample", "load", "fit", "replay"] },
  { name: "testing", rooms: ["run", "timeline", "laws", "contract", "faults"] }
])("the folders of $name", ({ name, rooms }) => {
  const ways = rooms.flatMap((from) => [
    ...rooms.map((to) => ({ from, to, path: `../${to}/A.ts` })),
    { from, to: "", path: "../Above.ts" }
  ])
  const broken = plant(
    name,
    Object.fromEntries(ways.map(({ from, path, to }) => [`src/${from}/To${to}.ts`, `export { a } from "${path}"`]))
  )

  it("are in order, and import none of its files", () => {
    const refused = ways.filter(({ from, to }) => to === "" || rooms.indexOf(to) > rooms.indexOf(from))
    const expected = refused.map(({ from, to }) => `${from}/To${to}.ts:1 no-restricted-imports`)
    const found = broken().filter((finding) => finding.endsWith("no-restricted-imports"))
    expect(found.toSorted()).toEqual(expected.toSorted())
  })
})

describe("pure files", () => {
  const impure = `import * as Effect from "effect/Effect"\nexport const a = Effect.never`
  const pure = [
    "accept/A",
    "classify/A",
    "decide/A",
    "fund/count/Cubic",
    "fund/count/SlidingWindow",
    "fund/count/Tokens",
    "loop/run/Decision",
    "loop/run/Progress"
  ]
  const thin = ["decide/BackoffSchedule", "fund/QuotaBucket", "loop/Retry", "observe/Logs"]
  const core = plant("core", Object.fromEntries([...pure, ...thin].map((file) => [`src/${file}.ts`, impure])))

  it("of core are those of the first stages, and those that are listed", () => {
    const imports = core().filter((finding) => finding.endsWith("no-restricted-imports"))
    expect(imports.toSorted()).toEqual(pure.map((file) => `${file}.ts:1 no-restricted-imports`))
  })

  const refused = [
    `import { Clock } from "effect"\nexport const a = Clock`,
    `import { Effect as E } from "effect"\nexport const a = E`,
    `import * as everything from "effect"\nexport const a = everything`,
    `import * as Clock from "effect/Clock"\nexport const a = Clock`,
    `export { Random } from "effect"`
  ].map((text, index) => ({ text, broken: plant(`impure-${index}`, { "src/decide/Jitter.ts": text }) }))

  it.each(refused)("do not use the rest of effect: $text", ({ broken }) => {
    expect(broken()).toEqual(["decide/Jitter.ts:1 no-restricted-imports"])
  })

  const free = [
    `import type * as Effect from "effect/Effect"\nexport type A = Effect.Effect<void>`,
    `import type * as Clock from "effect/Clock"\nimport * as Duration from "effect/Duration"\nexport type C = Clock.Clock\nexport const a = Duration.zero`,
    `import * as Option from "effect/Option"\nexport const a = Option.none()`
  ].map((text, index) => ({ text, broken: plant(`pure-${index}`, { "src/decide/Jitter.ts": text }) }))

  it.each(free)("use types, and modules of values: $text", ({ broken }) => {
    expect(broken()).toEqual([])
  })
})

describe("the index of effect", () => {
  const indexed = `import { Option } from "effect"\nexport const a = Option.none()`
  const typed = `import type { HttpClient } from "@effect/platform"\nexport type A = HttpClient.HttpClient`
  const files = [
    ...stages.map((stage) => `${stage}/A`),
    "decide/BackoffSchedule",
    "fund/count/Tokens",
    "loop/run/Decision",
    "loop/run/Progress",
    "Plan"
  ]
  const core = plant(
    "indexed",
    Object.fromEntries(
      files.flatMap((file) => [
        [`src/${file}.ts`, indexed],
        [`src/${file}Type.ts`, typed]
      ])
    )
  )

  it("is imported nowhere, not for a type either", () => {
    const broken = files.flatMap((file) => [
      `${file}.ts:1 no-restricted-imports`,
      `${file}Type.ts:1 no-restricted-imports`
    ])
    expect(core().toSorted()).toEqual(broken.toSorted())
  })
})
