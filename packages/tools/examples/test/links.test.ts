import { describe, expect, it } from "@effect/vitest"
import { existsSync, readdirSync } from "node:fs"
import { read, root } from "./rows.ts"

const folders = readdirSync(new URL("packages/", root), { encoding: "utf8" })
const pages = [
  "README.md",
  ".github/CONTRIBUTING.md",
  ".github/SECURITY.md",
  ...readdirSync(new URL("docs/", root), { encoding: "utf8" }).map((file) => `docs/${file}`),
  ...folders.map((folder) => `packages/${folder}/README.md`)
].filter((path) => path.endsWith(".md") && existsSync(new URL(path, root)))

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, "")
    .replaceAll(" ", "-")

describe("links", () => {
  it.each(pages)("of %s lead to files and headings that exist", (page) => {
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
