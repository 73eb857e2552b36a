import { addressOf, relativeLinks, releasedManifest, releasedReadme } from "@effect-retry/check/release/Release"
import { describe, expect, it } from "vitest"

const here = { folder: "packages/http", repository: "https://example.com/retry" }
const nowhere = { folder: "packages/http", repository: undefined }

describe("Release.addressOf", () => {
  it.each([
    ["https://example.com/retry", "https://example.com/retry"],
    ["https://example.com/retry/", "https://example.com/retry"],
    [{ type: "git", url: "git+https://example.com/retry.git" }, "https://example.com/retry"],
    [undefined, undefined]
  ])("of %j is %s", (repository, address) => {
    expect(addressOf(repository === undefined ? { name: "a" } : { name: "a", repository })).toBe(address)
  })
})

describe("Release.releasedManifest", () => {
  it("names the repository, the folder in it, and where to read and to report", () => {
    expect(releasedManifest({ name: "a" }, here)).toEqual({
      name: "a",
      homepage: "https://example.com/retry/tree/HEAD/packages/http#readme",
      bugs: "https://example.com/retry/issues",
      repository: { type: "git", url: "git+https://example.com/retry.git", directory: "packages/http" }
    })
  })

  it("invents no address", () => {
    expect(releasedManifest({ name: "a" }, nowhere)).toEqual({ name: "a" })
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
