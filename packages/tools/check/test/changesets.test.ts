import { filesBelow, read } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"

const manifests = filesBelow("packages")
  .filter((path) => /^packages\/(tools\/)?[^/]+\/package\.json$/.test(path))
  .map((path): { readonly name: string; readonly private?: boolean } => JSON.parse(read(path)))

const namesOf = (isPrivate: boolean) =>
  manifests.filter((manifest) => (manifest.private === true) === isPrivate).map(({ name }) => name)

const { fixed, ignore } = JSON.parse(read(".changeset/config.json"))

describe(".changeset/config.json", () => {
  it("gives all published packages one version", () => {
    expect(fixed.map((names: ReadonlyArray<string>) => names.toSorted())).toEqual([namesOf(false).toSorted()])
  })

  it("leaves private packages out", () => {
    expect(ignore.toSorted()).toEqual(namesOf(true).toSorted())
  })
})
