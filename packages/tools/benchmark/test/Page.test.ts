import { describe, expect, it } from "@effect/vitest"
import { benchmarkOfRedis, replaced } from "../src/Page.ts"

const begin = "<!-- benchmark: begin, written by `pnpm bench` -->"
const end = "<!-- benchmark: end -->"

describe("Page.replaced", () => {
  it("replaces what is between the markers, and nothing around them", () => {
    const page = `# Title\n\n${begin}\nold\n${end}\n\nAfter.\n`
    expect(replaced(page, "new")).toBe(`# Title\n\n${begin}\n\nnew\n\n${end}\n\nAfter.\n`)
  })

  it("changes nothing when it is done again", () => {
    const once = replaced(`${begin}${end}`, "new")
    expect(replaced(once, "new")).toBe(once)
  })

  it("takes content as it is written", () => {
    expect(replaced(`${begin}${end}`, "$& $1 `x`")).toContain("\n$& $1 `x`\n")
  })

  it("leaves the part of another command alone", () => {
    const other = "<!-- benchmark of Redis: begin, written by `pnpm bench:fleet` -->\n<!-- benchmark of Redis: end -->"
    const page = `${begin}\nold\n${end}\n${other}\n`
    expect(replaced(page, "new")).toContain(other)
    const both = replaced(page, "newer", benchmarkOfRedis)
    expect(both).toContain(`${begin}\nold\n${end}`)
    expect(both).toContain("`pnpm bench:fleet` -->\n\nnewer\n\n<!-- benchmark of Redis: end -->")
  })

  it.each([
    { page: "", without: "both markers" },
    { page: begin, without: "the end" },
    { page: end, without: "the beginning" },
    { page: `${end}${begin}`, without: "the right order" }
  ])("refuses a page without $without", ({ page }) => {
    expect(() => replaced(page, "new")).toThrow("The page needs")
  })
})
