import { describe, expect, it } from "@effect/vitest"
import { replaced } from "../src/Page.ts"

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

  it.each([
    { page: "", without: "both markers" },
    { page: begin, without: "the end" },
    { page: end, without: "the beginning" },
    { page: `${end}${begin}`, without: "the right order" }
  ])("refuses a page without $without", ({ page }) => {
    expect(() => replaced(page, "new")).toThrow("The page needs")
  })
})
