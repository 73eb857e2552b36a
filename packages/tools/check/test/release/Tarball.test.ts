import { checkTarball } from "@effect-retry/check/release/Tarball"
import { describe, expect, it } from "vitest"

const entries = [
  "LICENSE",
  "README.md",
  "package.json",
  "src/index.ts",
  "dist/index.js",
  "dist/index.js.map",
  "dist/index.d.ts",
  "dist/index.d.ts.map"
]

const packed = {
  name: "a",
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./package.json": "./package.json" }
}

interface Changes {
  readonly entries?: ReadonlyArray<string>
  readonly packed?: object
  readonly readme?: string
}

const messages = (changes: Changes) =>
  checkTarball({
    manifestPath: "package.json",
    entries,
    readme: "# a",
    repository: "https://example.com/retry",
    isInRepository: (path) => path === "docs/a.md",
    ...changes,
    packed: { ...packed, ...changes.packed }
  }).map(({ message }) => message)

describe("Tarball.checkTarball", () => {
  it("accepts sources with all that is built from them", () => {
    expect(messages({})).toEqual([])
  })

  it.each(["LICENSE", "README.md", "dist/index.js", "dist/index.js.map", "dist/index.d.ts"])("misses %s", (path) => {
    expect(messages({ entries: entries.filter((entry) => entry !== path) })).toEqual([`the tarball lacks ${path}`])
  })

  it.each(["test/a.ts", "src/a.test.ts", "dist/.tsbuildinfo", "dist/deleted.js", "vitest.config.ts", "src/notes.txt"])(
    "refuses %s",
    (path) => {
      expect(messages({ entries: [...entries, path] })).toContain(`the tarball should not contain ${path}`)
    }
  )

  it("misses the target of an export", () => {
    expect(messages({ packed: { exports: { "./A": { default: "./dist/A.js" } } } })).toEqual([
      "the tarball lacks dist/A.js"
    ])
  })

  it("refuses links to files that are not there", () => {
    const readme = "[a](LICENSE), [b](#b), [c](https://example.com/c) and [d](../../docs/d.md#e)"
    expect(messages({ readme })).toEqual(["the README links to ../../docs/d.md#e, which is not in the tarball"])
  })

  it("refuses links to files that the repository does not have", () => {
    const link = (path: string) => `[a](https://example.com/retry/blob/HEAD/${path})`
    const readme = `${link("docs/a.md")}, ${link("docs/a.md#b")}, ${link("docs/b.md#c")} and [d](https://example.com/d)`
    expect(messages({ readme })).toEqual(["the README links to docs/b.md, which is not in the repository"])
  })

  it("refuses what only works inside the workspace", () => {
    expect(
      messages({
        packed: {
          dependencies: { "@effect-retry/core": "workspace:^" },
          exports: { ".": { "@effect-retry/source": "./src/index.ts" } }
        }
      })
    ).toEqual([
      "the tarball depends on @effect-retry/core workspace:^, which only exists in the workspace",
      "the tarball still has the source condition in its exports"
    ])
  })
})
