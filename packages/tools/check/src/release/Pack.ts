/** Builds the packages, and packs each as it goes to the registry. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { run } from "../Command.ts"
import { type Owner, ownerOf } from "./Owner.ts"
import { type Packaged, tarballsIn } from "./ReadTarball.ts"
import { releasedManifest, releasedReadme } from "./Release.ts"
import { folderOf, publishedPackages, root, rootManifest } from "../Workspace.ts"

/** Builds projects, the published packages from nothing: the output of a deleted module would be packed. */
export const build = (...projects: ReadonlyArray<string>): ReadonlyArray<string> => {
  for (const { folder } of publishedPackages()) rmSync(join(root, folder, "dist"), { recursive: true, force: true })
  return run("tsc", "-b", ...projects)
}

interface Packing {
  /** Folder for the tarballs. */
  readonly target: string
  /** By default that of the package.json at the root. */
  readonly owner?: Owner | undefined
  /** The workspace that has the packages; by default the repository. */
  readonly base?: string
}

/** Puts the tarballs of all packages into a folder; answers what failed. */
export const packAll = ({ base = root, owner = ownerOf(rootManifest()), target }: Packing): ReadonlyArray<string> => {
  const work = mkdtempSync(join(tmpdir(), "effect-retry-pack-"))
  try {
    // All at once: pnpm takes longer to start than to pack one.
    const packing = run("pnpm", "--dir", base, "--filter", "./packages/*", "pack", "--pack-destination", work)
    const packed = tarballsIn(work)
    const isPacked = (name: string) => packed.some(({ manifest }) => manifest.name === name)
    const missing = publishedPackages().filter(({ manifest }) => !isPacked(manifest.name))
    if (packing.length > 0 || missing.length > 0) {
      return [...packing, ...missing.map(({ manifest }) => `${manifest.name}: nothing was packed`)]
    }
    mkdirSync(target, { recursive: true })
    return packed.flatMap((each) => release(each, { owner, target }))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Writes what only a release has into a tarball, and puts it into a folder. */
const release = ({ manifest, tarball }: Packaged, { owner, target }: Packing): ReadonlyArray<string> => {
  const work = tarball.replace(/\.tgz$/, "")
  mkdirSync(work)
  const failures = run("tar", "-xzf", tarball, "-C", work)
  const rewrite = (file: string, change: (text: string) => string) => {
    const path = join(work, "package", file)
    writeFileSync(path, change(readFileSync(path, "utf8")))
  }
  const input = { folder: folderOf(manifest), owner }
  rewrite("package.json", (text) => JSON.stringify(releasedManifest(JSON.parse(text), input), null, 2) + "\n")
  rewrite("README.md", (text) => releasedReadme(text, input))
  return [...failures, ...run("tar", "-czf", join(target, basename(tarball)), "-C", work, "package")]
}
