/**
 * The two lines of a release: the packages for Effect 3, and those that are derived of them for Effect 4.
 */
import { execute, run, runIn } from "../Command.ts"
import { root } from "../Workspace.ts"
import type { Packaged } from "./ReadTarball.ts"
import type { Effect } from "./Readme.ts"

export interface Line {
  readonly effect: Effect
  /** What the registry calls its newest version. */
  readonly tag: string
}

/** In the order in which they are published. npm installs what is `latest`, and calls a first version so in any case. */
export const lines: ReadonlyArray<Line> = [
  { effect: 3, tag: "effect3" },
  { effect: 4, tag: "latest" }
]

/** The Effect that a package is for. */
export const effectOf = ({ manifest: { peerDependencies } }: Packaged): Effect =>
  peerDependencies?.effect?.startsWith("^4") === true ? 4 : 3

/** Derives the packages for Effect 4, and packs them into a folder. */
export const packFour = async (target: string): Promise<ReadonlyArray<string>> => {
  const { error, output } = await runIn({ folder: root }, "tsx", "packages/tools/effect4/src/pack.ts", target)
  return error ? [output] : []
}

/** Publishes packages, unless the registry has them: a release that stopped half-way can be run again. */
export const publish = (packages: ReadonlyArray<Packaged>): ReadonlyArray<string> => {
  for (const { effect, tag } of lines) {
    for (const { manifest, tarball } of packages.filter((each) => effectOf(each) === effect)) {
      const version = `${manifest.name}@${manifest.version}`
      const failures = isPublished(version) ? [] : run("npm", ...publishing(tarball, tag))
      if (failures.length > 0) return failures
      console.log(`published ${version} as ${tag}`)
    }
  }
  return []
}

/** What npm is told to publish a tarball under a tag. */
export const publishing = (tarball: string, tag: string): ReadonlyArray<string> => [
  "publish",
  tarball,
  "--access",
  "public",
  "--tag",
  tag
]

/** The registry takes each version once. */
const isPublished = (version: string): boolean => execute("npm", "view", version, "version").stdout.trim() !== ""
