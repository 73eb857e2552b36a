import { filesBelow, publishedPackages, read } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"

const stages = ["accept", "classify", "decide", "fund", "loop", "observe"]
const sources = (folder: string) => filesBelow(`${folder}/src`).map((path) => path.slice(`${folder}/src/`.length))
const staged = publishedPackages()
  .map(({ folder }) => folder)
  .filter((folder) => sources(folder).some((path) => stages.includes(path.split("/")[0]!)))

describe("layout", () => {
  it("has packages with stages", () => {
    expect(staged).toContain("packages/core")
  })

  // The flow rule knows the stages by their names: a file in another folder would be out of its sight.
  it.each(staged)("of %s is the index, and stages of modules; fund and loop may have folders", (folder) => {
    const strange = sources(folder).filter((path) => {
      const [stage = "", ...file] = path.split("/")
      const modules = ["fund", "loop"].includes(stage) ? /^([a-z]+\/)?[A-Z]\w*\.ts$/ : /^[A-Z]\w*\.ts$/
      return path !== "index.ts" && !(stages.includes(stage) && modules.test(file.join("/")))
    })
    expect(strange).toEqual([])
  })

  // And those of packages without stages by the names of their folders.
  it.each(["plan", "testing"])("of packages/%s is doors, and the folders that the flow rule knows", (name) => {
    const rooms = new Set(sources(`packages/${name}`).map((path) => (path.includes("/") ? path.split("/")[0] : "")))
    const rules = new RegExp(`"files": \\["packages/${name}/src/(\\w+)/\\*\\*"\\]`, "g")
    const known = read(".oxlintrc.json").matchAll(rules)
    expect([...rooms].toSorted()).toEqual(["", ...[...known].map(([, room]) => room!)].toSorted())
  })
})
