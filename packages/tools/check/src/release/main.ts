/**
 * Packs what goes to the registry, for Effect 3 and for Effect 4, tries it out, and sends it there.
 *
 *     pnpm release               packs into node_modules/.cache/release
 *     pnpm release FOLDER        packs into another folder
 *     pnpm release --rehearse    packs with the next versions, and tries the packages out as strangers would
 *     pnpm release --rehearse --write    and writes the list of what is packed
 *     pnpm release --publish     rehearses, and publishes what was tried; needs an owner in the package.json at the root
 */
import { mkdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { filesBelow, publishedPackages, root, rootManifest } from "../Workspace.ts"
import * as Lines from "./Lines.ts"
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
  const failures = await packAll(target)
  for (const { tarball } of tarballsIn(target)) console.log(`packed ${tarball}`)
  return failures
}

const packAll = async (target: string): Promise<ReadonlyArray<string>> => {
  // Beside the others: it derives on one processor.
  const four = Lines.packFour(target)
  const building = Pack.build(...publishedPackages().map(({ folder }) => folder))
  const three = building.length > 0 ? building : Pack.packAll({ target })
  return [...three, ...(await four)]
}

const publish = async (target: string): Promise<ReadonlyArray<string>> => {
  const missing = missingFields(rootManifest())
  const pending = filesBelow(".changeset").filter((path) => path.endsWith(".md"))
  const owner = ownerOf(rootManifest())
  if (owner === undefined || missing.length > 0) return missing
  if (pending.length > 0) return [`${pending.join(", ")}: run changeset version, and commit what it writes`]
  const rehearsal = await rehearse({ owner, target, write: false })
  return rehearsal.length > 0 ? rehearsal : Lines.publish(tarballsIn(target))
}

const failures = await release(process.argv.slice(2))
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1
