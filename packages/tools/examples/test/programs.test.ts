/** Whole programs, all run in one process: the pages show them as they are, and below them what they print. */
import { readdirSync } from "node:fs"
import { format } from "node:util"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { pages, read } from "./rows.ts"

const folder = new URL("../programs/", import.meta.url)

const programs = readdirSync(folder, { encoding: "utf8" }).filter((file) => file.endsWith(".ts"))

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

let printed = ""

beforeEach(() => {
  printed = ""
  const print = (...parts: ReadonlyArray<unknown>) => void (printed += `${format(...parts)}\n`)
  vi.spyOn(console, "log").mockImplementation(print)
  vi.spyOn(console, "error").mockImplementation(print)
})

afterEach(() => vi.restoreAllMocks())

describe("programs", () => {
  it("are all shown in a page", () => {
    const markers = pages.flatMap(
      (page) => read(page).match(/<!-- example: packages\/tools\/examples\/programs\//g) ?? []
    )
    expect(shown.length).toBe(markers.length)
    expect([...new Set(shown.map(({ file }) => file))].toSorted()).toEqual(programs.toSorted())
  })

  it.each(programs)("%s prints what the pages say", async (file) => {
    await import(new URL(file, folder).pathname)
    const there = shown.filter((one) => one.file === file)
    await vi.waitFor(() => expect(there).toEqual(there.map(({ page }) => ({ page, file, text: printed }))), {
      timeout: 20_000
    })
  })
})
