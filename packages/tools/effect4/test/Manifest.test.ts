import { changelog, manifest, versionOf } from "@effect-retry/effect4/Manifest"
import { describe, expect, it } from "vitest"

const written = {
  name: "@effect-retry/testing",
  version: "0.1.2",
  peerDependencies: { "@effect/platform": "^0.97.0", effect: "^3.22.0" },
  peerDependenciesMeta: { "@effect/platform": { optional: true } },
  devDependencies: { "@effect/platform": "0.97.2", "@effect/sql": "0.52.1", effect: "3.22.4", pg: "8.23.1" }
}

describe("Manifest.manifest", () => {
  const of = (...imported: ReadonlyArray<string>) =>
    JSON.parse(manifest(JSON.stringify(written), new Set(imported))) as unknown

  it("has the version and the peers of Effect 4, and no library of Effect 3", () => {
    expect(of("effect/Effect")).toEqual({
      name: "@effect-retry/testing",
      version: "4.1.2",
      peerDependencies: { effect: "^4.1.0" },
      devDependencies: { effect: "4.1.0", pg: "8.23.1" }
    })
  })

  it("has a peer for a library that Effect 4 does not contain, if a source imports it", () => {
    expect(of("effect/Effect", "fast-check")).toMatchObject({
      peerDependencies: { effect: "^4.1.0", "fast-check": "^3.23.2 || ^4.0.0" }
    })
  })
})

describe("Manifest.versionOf", () => {
  it.each([
    ["0.0.0", "4.0.0"],
    ["0.12.3", "4.12.3"],
    ["0.2.0-next.1", "4.2.0-next.1"]
  ])("gives %s the minor and the patch in %s", (three, four) => {
    expect(versionOf(three)).toBe(four)
  })

  it.each(["1.0.0", "3.2.1", "4.0.0"])("refuses %s, which would fall behind what is published", (version) => {
    expect(() => versionOf(version)).toThrow(`${version}: only a version 0.x says which one is for Effect 4`)
  })
})

describe("Manifest.changelog", () => {
  it("has the versions for Effect 4, and the same text", () => {
    expect(changelog("# a\n\n## 0.2.0\n\n- 0.5 s\n  - @effect-retry/core@0.2.0\n\n## 0.1.0\n")).toBe(
      "# a\n\n## 4.2.0\n\n- 0.5 s\n  - @effect-retry/core@4.2.0\n\n## 4.1.0\n"
    )
  })
})
