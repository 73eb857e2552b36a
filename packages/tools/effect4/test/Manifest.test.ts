import { manifest } from "@effect-retry/effect4/Manifest"
import { describe, expect, it } from "vitest"

const written = {
  name: "@effect-retry/testing",
  version: "3.1.2",
  peerDependencies: { "@effect/platform": "^0.97.0", effect: "^3.22.0" },
  peerDependenciesMeta: { "@effect/platform": { optional: true } },
  devDependencies: { "@effect/platform": "0.97.2", effect: "3.22.4" }
}

describe("Manifest.manifest", () => {
  const of = (...imported: ReadonlyArray<string>) =>
    JSON.parse(manifest(JSON.stringify(written), new Set(imported))) as unknown

  it("has the version and the peers of Effect 4, and no platform", () => {
    expect(of("effect/Effect")).toEqual({
      name: "@effect-retry/testing",
      version: "4.1.2",
      peerDependencies: { effect: "^4.1.0" },
      devDependencies: { effect: "4.1.0" }
    })
  })

  it("has a peer for a library that Effect 4 does not contain, if a source imports it", () => {
    expect(of("effect/Effect", "fast-check")).toMatchObject({
      peerDependencies: { effect: "^4.1.0", "fast-check": "^3.23.2 || ^4.0.0" }
    })
  })
})
