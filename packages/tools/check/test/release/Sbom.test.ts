import { checkSbom, releasedSbom, withoutOptionalPeers } from "@effect-retry/check/release/Sbom"
import { describe, expect, it } from "vitest"

const registry = "http://127.0.0.1:4873"
const expected = { name: "@effect-retry/core", version: "0.1.0", registry }

const bill = (changes: object = {}) =>
  JSON.stringify({
    bomFormat: "CycloneDX",
    metadata: { component: { group: "@effect-retry", name: "core", version: "0.1.0" } },
    components: [
      {
        name: "effect",
        version: "3.22.4",
        licenses: [{ license: { id: "MIT" } }],
        externalReferences: [{ type: "distribution", url: `${registry}/effect/-/effect-3.22.4.tgz` }]
      }
    ],
    ...changes
  })

describe("Sbom", () => {
  it("is that of an install without the peers that may be absent", () => {
    const manifest = {
      name: "a",
      peerDependencies: { effect: "^3.22.0", ioredis: "^5.0.0" },
      peerDependenciesMeta: { ioredis: { optional: true } }
    }
    const needed = { name: "a", peerDependencies: { effect: "^3.22.0" } }
    expect(JSON.parse(withoutOptionalPeers(JSON.stringify(manifest)))).toEqual(needed)
    expect(JSON.parse(withoutOptionalPeers(`{"name":"a"}`))).toEqual({ name: "a", peerDependencies: {} })
  })

  it("names the public registry instead of the one it was made with", () => {
    const released = releasedSbom(bill(), registry)
    expect(released).toContain("https://registry.npmjs.org/effect/-/effect-3.22.4.tgz")
    expect(checkSbom(released, expected)).toEqual([])
  })

  it.each([
    [{ bomFormat: "SPDX" }, "is not in the format CycloneDX"],
    [{ metadata: { component: { name: "stranger", version: "1.0.0" } } }, "is that of stranger 1.0.0"],
    [
      { metadata: { component: { group: "@effect-retry", name: "core", version: "0.0.0" } } },
      "is that of @effect-retry/core 0.0.0"
    ],
    [{ components: [] }, "does not name effect"],
    [{ components: [{ group: "a", name: "effect", licenses: [{}] }] }, "does not name effect"]
  ])("with %j is wrong: it %s", (changes, message) => {
    const released = releasedSbom(bill(changes), registry)
    expect(checkSbom(released, expected)).toEqual([`@effect-retry/core: its bill of materials ${message}`])
  })

  it("is wrong with a package that names no license", () => {
    const components = [{ name: "effect" }, { group: "@noble", name: "hashes", licenses: [] }]
    expect(checkSbom(bill({ components }), expected)).toEqual([
      "@effect-retry/core: its bill of materials names no license of effect",
      "@effect-retry/core: its bill of materials names no license of @noble/hashes"
    ])
  })

  it("is wrong with an address of this machine", () => {
    expect(checkSbom(bill(), expected)).toEqual([`@effect-retry/core: its bill of materials names ${registry}`])
  })
})
