/**
 * Packs what goes to the registry, tries it out, and sends it there.
 *
 *     pnpm release               packs into node_modules/.cache/release
 *     pnpm release FOLDER        packs into another folder
 *     pnpm release --rehearse    packs with the next versions, and tries the packages out as strangers would
 *     pnpm release --rehearse --write    and writes the list of what is packed
 *     pnpm release --publish     rehearses, and publishes what was tried; needs an owner in the package.json at the root
 */
import { mkdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { execute, run } from "../Command.ts"
import { filesBelow, publishedPackages, root, rootManifest } from "../Workspace.ts"
import { missingFields, ownerOf, placeholder } from "./Owner.ts"
import * as Pack from "./Pack.ts"
import { tarballsIn } from "./ReadTarball.ts"
import { rehearse } from "./Rehearsal.ts"

const release = async (args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const [folder] = args.filter((arg) => !arg.startsWith("--"))
  const target = folder === undefined ? join(root, "node_modules/.cache/release") : resolve(folder)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  if (args.includes("--publish")) return publish(target)
  if (args.includes("--rehearse")) {
    return rehearse({ owner: ownerOf(rootManifest()) ?? placeholder, target, write: args.includes("--write") })
  }
  return packAll(target)
}

const packAll = (target: string): ReadonlyArray<string> => {
  const published = publishedPackages()
  const building = Pack.build(...published.map(({ folder }) => folder))
  if (building.length > 0) return building
  const failures = Pack.packAll({ target })
  for (const { tarball } of tarballsIn(target)) console.log(`packed ${tarball}`)
  return failures
}

const publish = async (target: string): Promise<ReadonlyArray<string>> => {
  const missing = missingFields(rootManifest())
  const pending = filesBelow(".changeset").filter((path) => path.endsWith(".md"))
  const owner = ownerOf(rootManifest())
  if (owner === undefined || missing.length > 0) return missing
  if (pending.length > 0) return [`${pending.join(", ")}: run changeset version, and commit what it writes`]
  const rehearsal = await rehearse({ owner, target, write: false })
  if (rehearsal.length > 0) return rehearsal
  for (const { manifest, tarball } of tarballsIn(target)) {
    const version = `${manifest.name}@${manifest.version}`
    const publication = isPublished(version) ? [] : run("npm", "publish", tarball, "--access", "public")
    if (publication.length > 0) return publication
    console.log(`published ${version}`)
  }
  return []
}

/** A release that stopped half-way can be run again: the registry takes each version once. */
const isPublished = (version: string): boolean => execute("npm", "view", version, "version").stdout.trim() !== ""

const failures = await release(process.argv.slice(2))
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1
