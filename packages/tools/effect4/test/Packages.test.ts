import { filesBelow, publishedPackages, read } from "@effect-retry/check/Workspace"
import { entries, notDerived } from "@effect-retry/effect4/names/tested"
import { packages, programsOf, sourcesOf, testsOf, tools, wholeLine } from "@effect-retry/effect4/Packages"
import { pages } from "@effect-retry/effect4/PageFiles"
import { exampleFiles } from "@effect-retry/effect4/Pages"
import { describe, expect, it } from "vitest"

describe("Packages.packages", () => {
  // docs/effect-4.md and docs/comparison.md say so.
  it("are all that are published", () => {
    expect(packages.map((name) => `packages/${name}`).toSorted()).toEqual(
      publishedPackages()
        .map(({ folder }) => folder)
        .toSorted()
    )
  })
})

describe("Packages.sourcesOf", () => {
  it("has the file of Effect 4 in place of that of Effect 3, and any other as it is", () => {
    const parts = new Map(sourcesOf("core").map((part) => [part.target, part.source]))
    expect(parts.get("core/src/fund/fiber/Line.ts")).toBe("packages/tools/effect4/line/core/src/fund/fiber/Line.ts")
    expect(parts.get("core/src/loop/Retry.ts")).toBe("packages/core/src/loop/Retry.ts")
  })
})

describe("Packages.testsOf", () => {
  const { left, parts, run } = testsOf("core")
  const targets = parts.map(({ target }) => target)

  it("has each file with tests once, among those that run or those that are left", () => {
    const files = filesBelow("packages/core/test").filter((path) => path.endsWith(".test.ts"))
    expect([...run, ...left].map((file) => `packages/${file}`).toSorted()).toEqual(files.toSorted())
    expect(targets).toEqual(expect.arrayContaining([...run]))
    expect(targets.filter((target) => left.includes(target))).toEqual([])
  })

  it.each([...packages, "tools/comparison", "tools/examples"] as const)(
    "leaves no file with tests of %s without a reason",
    (name) => {
      expect(testsOf(name).left).toEqual(Object.keys(notDerived).filter((file) => file.startsWith(`${name}/`)))
    }
  )

  it("brings the programs that tests start", () => {
    const targets = testsOf("tools/examples").parts.map(({ target }) => target)
    expect(targets).toContain("tools/examples/test/node/suites.ts")
  })

  it.each(packages)("brings the modules that the tests of %s import, even those of other packages", (name) => {
    const parts = testsOf(name).parts.filter(({ target }) => target.endsWith(".ts"))
    const imported = parts.flatMap(({ source, target }) =>
      Array.from(read(source).matchAll(/from "(\.[^"]*)"/g), ([, path = ""]) =>
        new URL(path, `file:///${target}`).pathname.slice(1)
      )
    )
    const targets = parts.map(({ target }) => target)
    expect(imported.filter((target) => /^\w+\/test\//.test(target) && !targets.includes(target))).toEqual([])
  })
})

describe("Packages.programsOf", () => {
  const isWhole = (name: string) => !entries.some((entry) => entry.startsWith(`${name}/`))

  it.each(tools.filter(isWhole))(
    "has each program of %s once, among those that are derived or those that are left",
    (name) => {
      const { left, parts } = programsOf(name)
      const files = ["src", "programs"].flatMap((folder) => filesBelow(`packages/${name}/${folder}`))
      const derived = parts.map(({ target }) => target).filter((target) => !left.includes(target))
      const isProgram = (target: string) => /\/(?:src|programs)\//.test(target) && target.startsWith(name)
      const programs = [...derived, ...left].filter(isProgram)
      expect(programs.map((target) => `packages/${target}`).toSorted()).toEqual(files.toSorted())
      expect(derived.length).toBe(parts.length)
    }
  )

  it("has of the benchmark the tables that are measured on Effect 4, and no others", () => {
    const targets = programsOf("tools/benchmark").parts.map(({ target }) => target)
    expect(targets).toContain("tools/benchmark/src/workloads/Success.ts")
    expect(targets).not.toContain("tools/benchmark/src/workloads/AwsSdk.ts")
  })
})

describe("Packages.wholeLine", () => {
  it("has every file whose code a page shows", () => {
    const derived = new Set(wholeLine([]).map(({ target }) => `packages/${target}`))
    const shown = pages().flatMap((page) => exampleFiles(read(page)))
    expect(shown.length).toBeGreaterThan(200)
    expect(shown.filter((file) => !derived.has(file))).toEqual([])
  })
})

describe("the files of Effect 4", () => {
  const folder = "packages/tools/effect4/line/"
  const files = filesBelow(folder).filter((path) => path.endsWith(".ts"))

  it("are listed with their reasons in docs/decisions.md", () => {
    const rows = read("docs/decisions.md").matchAll(/^\| `((?:tools\/)?\w+\/(?:src|test)\/[^`]*\.ts)` \|/gm)
    expect(Array.from(rows, ([, path = ""]) => path).toSorted()).toEqual(files.map((path) => path.slice(folder.length)))
  })

  it("each stand in place of a file of Effect 3", () => {
    const places = files.map((path) => `packages/${path.slice(folder.length)}`)
    const sources = filesBelow("packages")
    expect(places.filter((path) => !sources.includes(path))).toEqual([])
  })
})
