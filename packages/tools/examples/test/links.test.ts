import { describe, expect, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { pages, read, root } from "./rows.ts"

const linking = [...pages, ".github/CONTRIBUTING.md", ".github/SECURITY.md"]

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, "")
    .replaceAll(" ", "-")

describe("links", () => {
  it.each(linking)("of %s lead to files and headings that exist", (page) => {
    const dead = Array.from(read(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target)
      .filter((target) => !target.startsWith("https://"))
      .filter((target) => {
        const [file = "", anchor] = target.split("#")
        const url = file === "" ? new URL(page, root) : new URL(file, new URL(page, root))
        if (!existsSync(url)) return true
        const path = url.pathname.slice(root.pathname.length)
        const headings =
          anchor === undefined ? [] : Array.from(read(path).matchAll(/^#+ (.+)$/gm), ([, text = ""]) => text)
        return anchor !== undefined && !headings.some((heading) => anchorOf(heading) === anchor)
      })
    expect(dead).toEqual([])
  })
})
