import { describe, expect, it } from "vitest"
import { files, floors, group, path, stage, stages, tests, within } from "../src/Folders.ts"

describe("floors", () => {
  it("stand for folders that have sources", () => {
    expect(Object.keys(floors).filter((folder) => files(folder).length === 0)).toEqual([])
  })
})

describe("path", () => {
  it.each([
    ["core/loop", "src", "packages/core/src/loop"],
    ["core/loop", "test", "packages/core/test/loop"],
    ["plan", "src", "packages/plan/src"],
    ["plan/load", "test", "packages/plan/test/load"]
  ] as const)("of %s, %s, is %s", (folder, kind, expected) => {
    expect(path(folder, kind)).toBe(expected)
  })
})

describe("stage", () => {
  it.each([
    ["core/loop", "core/loop"],
    ["core/fund/count", "core/fund"],
    ["plan/load", "plan"]
  ])("of %s is %s", (folder, expected) => {
    expect(stage(folder)).toBe(expected)
  })
})

describe("tests", () => {
  it.each([
    ["core/loop/run", "packages/core/test/{accept,loop}"],
    ["core/accept", "packages/core/test/accept"],
    ["core/fund/fiber", "packages/core/test"],
    ["plan/load", "packages/plan/test"]
  ])("of %s are in %s", (folder, expected) => {
    expect(tests(folder)).toBe(expected)
  })
})

describe("stages", () => {
  it("hold all folders that have a floor", () => {
    expect(
      stages()
        .flatMap(within)
        .filter((folder) => folder in floors)
        .toSorted()
    ).toEqual(Object.keys(floors).toSorted())
  })
})

describe("within", () => {
  it("a stage are its rooms", () => {
    expect(within("core/loop")).toEqual(["core/loop", "core/loop/policy", "core/loop/run", "core/loop/hedge"])
    expect(within("core/loop/run")).toEqual(["core/loop/run"])
  })
})

describe("files", () => {
  it("are those of the folder itself, without the index", () => {
    expect(files("plan")).toContain("Plan.ts")
    expect(files("plan").filter((name) => name === "index.ts" || name.includes("/"))).toEqual([])
  })

  it("are none if there is no such folder", () => {
    expect(files("core/lop")).toEqual([])
  })
})

describe("group", () => {
  it("sorts the changes of a branch by folder, and leaves out what is not a source", () => {
    const changed = [
      "README.md",
      "packages/core/src/fund/fiber/Within.ts",
      "packages/core/src/loop/Gone.ts",
      "packages/core/test/fund/fiber/Within.test.ts",
      "packages/plan/src/bounds/Paths.ts",
      "packages/plan/src/load/Server.ts",
      "packages/plan/src/index.ts"
    ]
    expect([...group(changed)]).toEqual([
      ["core/fund/fiber", ["Within.ts"]],
      ["plan/bounds", ["Paths.ts"]],
      ["plan/load", ["Server.ts"]]
    ])
  })
})
