import { type Manifest, publishedPackages, read } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"

const rootManifest: { readonly engines: object; readonly license: string } = JSON.parse(read("package.json"))

describe.each(publishedPackages())("$folder/package.json", ({ manifest }) => {
  it("says what the package is, and what it runs on", () => {
    expect(manifest).toEqual(
      expect.objectContaining({
        description: expect.stringMatching(/^[A-Z].*\.$/),
        keywords: expect.arrayContaining(["effect", "retry"]),
        engines: rootManifest.engines,
        license: rootManifest.license,
        sideEffects: false
      })
    )
  })

  it("leaves the address of the repository to the release", () => {
    const addresses: ReadonlyArray<keyof Manifest> = ["repository", "homepage", "bugs"]
    expect(addresses.filter((field) => field in manifest)).toEqual([])
  })
})
