/**
 * Whole programs print on Effect 4 what the pages say that they print on Effect 3.
 *
 * This is the file of Effect 4: all programs run in one process.
 */
import { readdirSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { pages, read } from "./rows.ts"

const folder = new URL("../programs/", import.meta.url)
const programs = readdirSync(folder, { encoding: "utf8" }).filter((file) => file.endsWith(".ts"))

/** The text below the first place at which a page shows a program. */
const shown = (file: string): string => {
  const marker = `<!-- example: packages/tools/examples/programs/${file} -->`
  const page = pages.map(read).find((text) => text.includes(marker)) ?? ""
  const below = page.slice(page.indexOf(marker))
  return /^```text\n(.*?)```$/ms.exec(below)?.[1] ?? ""
}

let printed = ""

beforeEach(() => {
  printed = ""
  const print = (...parts: ReadonlyArray<unknown>) => void (printed += `${parts.join(" ")}\n`)
  vi.spyOn(console, "log").mockImplementation(print)
  vi.spyOn(console, "error").mockImplementation(print)
})

afterEach(() => vi.restoreAllMocks())

describe("programs", () => {
  it.each(programs)("%s prints what the pages say", async (file) => {
    await import(new URL(file, folder).pathname)
    await vi.waitFor(() => expect(printed).toBe(shown(file)), { timeout: 20_000 })
  })
})
