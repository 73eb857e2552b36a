import { relativeLinks, releasedManifest, releasedReadme } from "@effect-retry/check/release/Release"
import { describe, expect, it } from "vitest"

const owner = {
  repository: "https://example.com/retry",
  homepage: "https://retry.example",
  author: "Ada",
  funding: "https://example.com/fund"
}
const here = { folder: "packages/http", owner }
const nowhere = { folder: "packages/http", owner: undefined }

describe("Release.releasedManifest", () => {
  const manifest = { name: "a", publishConfig: { access: "public" }, devDependencies: { b: "1.0.0" } }

  it("names the owner, the page of the package, where to report, and asks for a statement of provenance", () => {
    expect(releasedManifest(manifest, here)).toEqual({
      name: "a",
      homepage: "https://retry.example/packages/http",
      bugs: "https://example.com/retry/issues",
      repository: { type: "git", url: "git+https://example.com/retry.git", directory: "packages/http" },
      author: "Ada",
      funding: "https://example.com/fund",
      publishConfig: { access: "public", provenance: true }
    })
  })

  it("names no funding when the owner has none", () => {
    const { funding: _, ...unfunded } = owner
    expect(Object.keys(releasedManifest({ name: "a" }, { ...here, owner: unfunded }))).not.toContain("funding")
  })

  it("invents no owner", () => {
    expect(releasedManifest(manifest, nowhere)).toEqual({ name: "a", publishConfig: { access: "public" } })
  })
})

describe("Release.releasedReadme", () => {
  it.each([
    ["[docs](../../docs/http.md)", "[docs](https://example.com/retry/blob/HEAD/docs/http.md)", "docs"],
    [
      "[a](../core/README.md#defaults), [b](LICENSE)",
      "[a](https://example.com/retry/blob/HEAD/packages/core/README.md#defaults), [b](https://example.com/retry/blob/HEAD/packages/http/LICENSE)",
      "a, b"
    ],
    ["![a curve](../../a.svg)", "![a curve](https://example.com/retry/raw/HEAD/a.svg)", "a curve"],
    ["[`a[0]`](../a.md)", "[`a[0]`](https://example.com/retry/blob/HEAD/packages/a.md)", "`a[0]`"]
  ])("gives %s an address, or leaves its text", (text, withAddress, without) => {
    expect(releasedReadme(text, here)).toBe(withAddress)
    expect(releasedReadme(text, nowhere)).toBe(without)
    expect(relativeLinks(text)).not.toEqual([])
    expect(relativeLinks(withAddress)).toEqual([])
    expect(relativeLinks(without)).toEqual([])
  })

  it.each([
    "[RFC](https://example.com/rfc)",
    "[below](#defaults)",
    "```ts\nconst a = b[0](c)\n// [text](../a.md)\n```",
    "~~~~\n~~~\n[text](../a.md)\n~~~~"
  ])("leaves %s as it is", (text) => {
    expect(releasedReadme(text, here)).toBe(text)
    expect(releasedReadme(text, nowhere)).toBe(text)
    expect(relativeLinks(text)).toEqual([])
  })

  it("goes on after a block of code", () => {
    expect(relativeLinks("```\n[a](b.md)\n```\n[c](d.md)")).toEqual(["d.md"])
  })
})
