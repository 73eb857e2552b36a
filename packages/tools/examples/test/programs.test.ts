/** Whole programs: the pages show them as they are, and below them what they print. */
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"
import { pages, read, root } from "./rows.ts"

const home = "packages/tools/examples/programs/"

const programs = readdirSync(new URL(home, root), { encoding: "utf8" }).filter((file) => file.endsWith(".ts"))

/** Each program of a page, with the text of the first `text` block below it. */
const shown = pages.flatMap((page) => {
  const lines = read(page).split("\n")
  return lines.flatMap((line, at) => {
    const [, file] = /^<!-- example: packages\/tools\/examples\/programs\/(\S+) -->$/.exec(line) ?? []
    if (file === undefined) return []
    const open = lines.indexOf("```text", at)
    const printed = lines.slice(open + 1, lines.indexOf("```", open + 1))
    return [{ page, file, text: printed.map((line) => `${line}\n`).join("") }]
  })
})

const run = promisify(execFile)

/** As `node` runs it in a project that has the packages. */
const printed = async (file: string): Promise<string> => {
  const path = fileURLToPath(new URL(`packages/tools/examples/dist/${file.replace(/\.ts$/, ".js")}`, root))
  const { stderr, stdout } = await run(process.execPath, ["--no-warnings", path])
  return stderr + stdout
}

beforeAll(() => run("tsc", ["-b", "packages/tools/examples/programs"], { cwd: root }))

describe("programs", () => {
  it("are all shown in a page", () => {
    const markers = pages.flatMap(
      (page) => read(page).match(/<!-- example: packages\/tools\/examples\/programs\//g) ?? []
    )
    expect(shown.length).toBe(markers.length)
    expect([...new Set(shown.map(({ file }) => file))].toSorted()).toEqual(programs.toSorted())
  })

  it.each(programs)("%s prints what the pages say", async (file) => {
    const output = await printed(file)
    const there = shown.filter((one) => one.file === file)
    expect(there).toEqual(there.map(({ page }) => ({ page, file, text: output })))
  })
})
