/**
 * The packages for Effect 4 as they go to the registry.
 */
import { render } from "@effect-retry/check/Finding"
import { type Owner, placeholder } from "@effect-retry/check/release/Owner"
import { effectOf } from "@effect-retry/check/release/Lines"
import * as Pack from "@effect-retry/check/release/Pack"
import { readTarball, tarballsIn } from "@effect-retry/check/release/ReadTarball"
import { checkTarball } from "@effect-retry/check/release/Tarball"
import { folderOf, read, type Source } from "@effect-retry/check/Workspace"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, type Building } from "./Build.ts"
import { exportsOf } from "./Line4.ts"
import { derivedOf, installed, type Package } from "./Packages.ts"
import { forFour } from "./Pages.ts"
import { checkPublished } from "./Published.ts"

interface PackingFour extends Pick<Building, "isChecked"> {
  /** Folder for the tarballs. */
  readonly target: string
  readonly owner: Owner | undefined
}

/** Builds the packages of the cache and packs them; answers what is wrong with them. */
export const packAll = ({ isChecked, owner, target }: PackingFour): ReadonlyArray<string> => {
  const base = mkdtempSync(join(tmpdir(), "effect-retry-effect4-"))
  try {
    const building = build(base, { isChecked, readmeOf })
    const failures = building.length > 0 ? building : Pack.packAll({ base, target, owner })
    if (failures.length > 0) return failures
    const exports = exportsOf(join(installed, "effect"))
    return tarballsIn(target)
      .filter((packaged) => effectOf(packaged) === 4)
      .flatMap((packaged) => {
        const input = readTarball(packaged, owner ?? placeholder)
        const built = builtOf(join(base, folderOf(packaged.manifest), "dist"))
        return [...checkTarball(input), ...checkPublished({ ...input, built, exports, four: derivedOf })].map(render)
      })
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

const readmeOf = (name: Package): string => forFour({ text: read(`packages/${name}/README.md`), four: derivedOf })

const builtOf = (folder: string): ReadonlyArray<Source> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:js|d\.ts)$/.test(path))
    .map((path) => ({ path: `dist/${path}`, text: readFileSync(join(folder, path), "utf8") }))
