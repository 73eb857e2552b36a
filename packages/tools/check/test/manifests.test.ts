import { installLines } from "@effect-retry/check/release/Readme"
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

/** The line of a version or of a range, as an install line names it: `0` of 0.3.1, `3` of ^3.22.0, `0.97` of ^0.97.2. */
const lineOf = (range: string): string => {
  const [major = "", minor = ""] = range.replace(/^\^/, "").split(".")
  return range.startsWith("^") && major === "0" ? `0.${minor}` : major
}

const installed = (path: string): ReadonlyArray<string> =>
  installLines(read(path), 3)
    .flat()
    .filter((name) => !name.startsWith("--"))

describe("install lines", () => {
  const packages = publishedPackages()
  const lines = new Map(packages.map(({ manifest }) => [manifest.name, lineOf(manifest.version ?? "")]))
  for (const { manifest } of packages) {
    for (const [name, range] of Object.entries(manifest.peerDependencies ?? {})) {
      if (!lines.has(name)) lines.set(name, lineOf(range))
    }
  }
  const pinned = (name: string) => `${name}@${lines.get(name)}`

  it("of the README name all packages and peers, each with its line", () => {
    expect(installed("README.md").toSorted()).toEqual([...lines.keys()].map(pinned).toSorted())
  })

  it.each(packages)("of $folder name it, its peers and no other line", ({ folder, manifest }) => {
    const names = installed(`${folder}/README.md`)
    expect(names.filter((name) => name !== pinned(name.replace(/(?!^)@[^@]*$/, "")))).toEqual([])
    const needed = [manifest.name, ...Object.keys(manifest.peerDependencies ?? {})].map(pinned)
    expect(needed.filter((name) => !names.includes(name))).toEqual([])
  })
})
