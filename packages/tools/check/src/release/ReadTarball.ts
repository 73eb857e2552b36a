import { readdirSync } from "node:fs"
import { join } from "node:path"
import { execute } from "../Command.ts"
import { exists, folderOf, type Manifest } from "../Workspace.ts"
import type { Owner } from "./Owner.ts"
import type { TarballInput } from "./Tarball.ts"

/** The tarballs in a folder, by their manifests. */
export const tarballsIn = (folder: string): ReadonlyArray<Packaged> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".tgz"))
    .toSorted()
    .map((name) => join(folder, name))
    .map((tarball) => ({ tarball, manifest: JSON.parse(packed(tarball, "package.json")) as Manifest }))

export interface Packaged {
  /** Path of the tarball. */
  readonly tarball: string
  readonly manifest: Manifest
}

const packed = (tarball: string, file: string): string => execute("tar", "-xzOf", tarball, `package/${file}`).stdout

/** What the checks of a tarball look at. */
export const readTarball = ({ manifest, tarball }: Packaged, { repository }: Owner): TarballInput => ({
  manifestPath: `${folderOf(manifest)}/package.json`,
  entries: execute("tar", "-tzf", tarball)
    .stdout.split("\n")
    .filter((path) => path !== "" && !path.endsWith("/"))
    .map((path) => path.replace(/^package\//, "")),
  packed: manifest,
  readme: packed(tarball, "README.md"),
  repository,
  isInRepository: exists
})
