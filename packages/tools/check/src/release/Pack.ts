/** Builds the packages, and packs each as it goes to the registry. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "../Command.ts"
import { type Owner, ownerOf } from "./Owner.ts"
import { releasedManifest, releasedReadme } from "./Release.ts"
import { type Manifest, type Package, publishedPackages, root, rootManifest } from "../Workspace.ts"

/** Builds projects, the published packages from nothing: the output of a deleted module would be packed. */
export const build = (...projects: ReadonlyArray<string>): ReadonlyArray<string> => {
  for (const { folder } of publishedPackages()) rmSync(join(root, folder, "dist"), { recursive: true, force: true })
  return run("tsc", "-b", ...projects)
}

export interface Packed {
  readonly failures: ReadonlyArray<string>
  /** Path of the tarball; absent if something failed. */
  readonly tarball?: string
}

/** Puts the tarball of a package into the folder `target`. The owner is that of the package.json at the root. */
export const pack = (
  { folder }: Package,
  target: string,
  owner: Owner | undefined = ownerOf(rootManifest())
): Packed => {
  const work = mkdtempSync(join(tmpdir(), "effect-retry-pack-"))
  try {
    const packing = run("pnpm", "--dir", folder, "pack", "--pack-destination", work)
    const [name] = readdirSync(work)
    if (packing.length > 0 || name === undefined) return { failures: [...packing, `${folder}: nothing was packed`] }
    const failures = run("tar", "-xzf", join(work, name), "-C", work)
    const rewrite = (file: string, change: (text: string) => string) => {
      const path = join(work, "package", file)
      writeFileSync(path, change(readFileSync(path, "utf8")))
    }
    const release = { folder, owner }
    rewrite("package.json", (text) => JSON.stringify(releasedManifest(JSON.parse(text), release), null, 2) + "\n")
    rewrite("README.md", (text) => releasedReadme(text, release))
    mkdirSync(target, { recursive: true })
    const tarball = join(target, name)
    return { failures: [...failures, ...run("tar", "-czf", tarball, "-C", work, "package")], tarball }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Name of the tarball of `@effect-retry/core` in version `0.1.0`: `effect-retry-core-0.1.0.tgz`. */
export const tarballOf = ({ name, version = "" }: Manifest): string =>
  `${name.slice(1).replace("/", "-")}-${version}.tgz`
