/**
 * Packs what goes to the registry, and sends it there.
 *
 *     pnpm release              packs into node_modules/.cache/release
 *     pnpm release --publish    and publishes what was packed; needs `repository` in the package.json at the root
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { execute, run } from "../Command.ts"
import { build, pack } from "./Pack.ts"
import { addressOf } from "./Release.ts"
import { type Manifest, publishedPackages, read, root } from "../Workspace.ts"

const target = join(root, "node_modules/.cache/release")

const release = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const publishing = args.includes("--publish")
  if (publishing && addressOf(JSON.parse(read("package.json")) as Manifest) === undefined) {
    return ["package.json: repository must be the address of the repository, which every package names"]
  }
  rmSync(target, { recursive: true, force: true })
  const building = build()
  if (building.length > 0) return building
  const packed = publishedPackages().map((each) => ({ ...each.manifest, ...pack(each, target) }))
  const failures = packed.flatMap((each) => each.failures)
  if (failures.length > 0) return failures
  for (const { name, tarball = "", version } of packed) {
    const sending = publishing && !isPublished(`${name}@${version}`)
    const publication = sending ? run("npm", "publish", tarball, "--access", "public") : []
    if (publication.length > 0) return publication
    console.log(`${sending ? "published" : "packed"} ${tarball}`)
  }
  return []
}

/** A release that stopped half-way can be run again: the registry takes each version once. */
const isPublished = (version: string): boolean => execute("npm", "view", version, "version").stdout.trim() !== ""

const failures = release(process.argv.slice(2))
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1
