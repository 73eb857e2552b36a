/** A copy of the repository in which the next versions are written: a release leaves the working tree as it is. */
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { execute, runIn, type Ran } from "../Command.ts"
import { publishedPackages, root } from "../Workspace.ts"
import type { Owner } from "./Owner.ts"

/** Copies what a commit of the working tree would hold, and links what is installed. */
export const copyRepository = (target: string): void => {
  const files = execute("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").stdout.split("\0")
  for (const file of new Set(files)) {
    if (file === "" || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(target, file)), { recursive: true })
    cpSync(join(root, file), join(target, file))
  }
  symlinkSync(join(root, "node_modules"), join(target, "node_modules"))
  for (const folder of [...publishedPackages().map((each) => each.folder), ...deriving]) {
    const installed = join(root, folder, "node_modules")
    // The links are relative, so those of our packages lead into the copy. Caches of tools stay behind.
    cpSync(installed, join(target, folder, "node_modules"), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => path === installed || lstatSync(path).isSymbolicLink() || /node_modules\/@[^/]+$/.test(path)
    })
  }
}

/** The tools that derive the packages for Effect 4, and those that they import. */
const deriving = ["effect4", "check", "site", "examples"].map((name) => `packages/tools/${name}`)

/** Writes the versions and changelogs that the changesets ask for, and the owner. */
export const version = async (copy: string, owner: Owner): Promise<Ran> => {
  const path = join(copy, "package.json")
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...owner }, null, 2))
  return runIn({ folder: copy }, join(root, "node_modules/.bin/changeset"), "version")
}
