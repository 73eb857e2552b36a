import { describe, expect, it } from "vitest"
import * as Links from "../src/Links.ts"
import * as Pages from "../src/Pages.ts"

describe("Links.targetOf", () => {
  it.each([
    ["README.md", "docs/flow.md", "/flow"],
    ["docs/flow.md", "../README.md", "/"],
    ["docs/flow.md", "http.md#from-ky", "/http#from-ky"],
    ["packages/http/README.md", "../../docs/http.md", "/http"],
    ["docs/http.md", "../packages/core/README.md#promises", "/packages/core#promises"],
    ["README.md", "LICENSE", "https://host/owner/name/blob/main/LICENSE"],
    ["docs/quality.md", "../.github/CONTRIBUTING.md", "https://host/owner/name/blob/main/.github/CONTRIBUTING.md"],
    ["docs/flow.md", "#top", "#top"],
    ["docs/flow.md", "https://effect.website", "https://effect.website"],
    ["docs/flow.md", "//effect.website", "//effect.website"]
  ])("of %s to %s is %s", (file, href, target) => {
    expect(Links.targetOf(file, href, "https://host/owner/name")).toBe(target)
  })
})

describe("Links.anchorOf", () => {
  it.each([
    ["Staying with `Effect.retry`", "staying-with-effectretry"],
    ["What it does when", "what-it-does-when"],
    ["p-retry, async-retry and cockatiel", "p-retry-async-retry-and-cockatiel"],
    ["Größe & Co.", "größe--co"]
  ])("of %s is that of GitHub", (heading, anchor) => {
    expect(Links.anchorOf(heading)).toBe(anchor)
  })
})

describe("Pages.groups", () => {
  it("have each page once", () => {
    const grouped = Pages.groups().flatMap(({ files }) => files)
    expect(grouped.toSorted()).toEqual(Pages.files().toSorted())
  })
})

describe("Pages.pageOf", () => {
  it.each([
    ["README.md", "api/index.md"],
    ["packages/core/src/README.md", "api/core/index.md"],
    ["packages/core/src/namespaces/Backoff.md", "api/core/Backoff.md"]
  ])("puts %s of the reference under its package", (file, page) => {
    expect(Pages.pageOf(`${Pages.apiFolder}/${file}`)).toBe(page)
  })

  it("tells pages apart by their files", () => {
    const pages = Pages.files().map(Pages.pageOf)
    expect(new Set(pages).size).toBe(pages.length)
    expect(pages).not.toContain(undefined)
  })

  it.each(["package.json", "docs/pictures/fleet.svg", ".github/CONTRIBUTING.md", "packages/tools/README.md"])(
    "has none for %s",
    (file) => {
      expect(Pages.pageOf(file)).toBeUndefined()
    }
  )
})
