/**
 * What a package says of its owner and of the repository it comes from. Both are written once, in the package.json at the
 * root; the files of the packages do without them.
 */
import { posix } from "node:path"
import type { Manifest } from "../Workspace.ts"
import type { Owner } from "./Owner.ts"

interface ReleaseInput {
  /** Folder of the package, such as `packages/core`. */
  readonly folder: string
  readonly owner: Owner | undefined
}

/** The manifest without what only the repository needs, and with the owner's fields, if there is an owner. */
export const releasedManifest = (manifest: Manifest, { folder, owner }: ReleaseInput): Manifest => {
  const released = Object.fromEntries(Object.entries(manifest).filter(([field]) => field !== "devDependencies"))
  const owned = owner === undefined ? {} : ownedFields(manifest, folder, owner)
  return { ...released, ...owned } as Manifest
}

const ownedFields = (
  { publishConfig }: Manifest,
  folder: string,
  { author, funding, homepage, repository }: Owner
) => ({
  homepage: `${homepage}/${folder}`,
  bugs: `${repository}/issues`,
  repository: { type: "git", url: `git+${repository}.git`, directory: folder },
  author,
  ...(funding === undefined ? {} : { funding }),
  publishConfig: { ...publishConfig, provenance: true }
})

/**
 * The README with links that hold outside of the repository: relative links lead to the address, and without an address
 * only their text is left.
 */
export const releasedReadme = (text: string, { folder, owner }: ReleaseInput): string => {
  const release = (line: string) =>
    line.replace(relativeLink, (_, image: string, label: string, target: string) => {
      const [path = "", anchor] = target.split("#")
      const hash = anchor === undefined ? "" : `#${anchor}`
      const view = image === "" ? "blob" : "raw"
      return owner === undefined
        ? label
        : `${image}[${label}](${owner.repository}/${view}/HEAD/${posix.join(folder, path)}${hash})`
    })
  return outsideOfCode(text, release)
}

/** Links of a README that lead to files, which the package would have to hold. */
export const relativeLinks = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  outsideOfCode(text, (line) => {
    found.push(...Array.from(line.matchAll(relativeLink), ([, , , target = ""]) => target))
    return line
  })
  return found
}

/** Files of the repository that a released README links to. */
export const linkedFiles = (text: string, repository: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target).flatMap((target) => {
    const [, path] =
      /^\/(?:blob|raw)\/HEAD\/([^#]+)/.exec(target.startsWith(repository) ? target.slice(repository.length) : "") ?? []
    return path === undefined ? [] : [path]
  })

const relativeLink = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)\s]+)\)/g

const outsideOfCode = (text: string, change: (line: string) => string): string => {
  let fence: string | undefined
  return text
    .split("\n")
    .map((line) => {
      const [, ticks] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
      if (fence === undefined && ticks === undefined) return change(line)
      if (fence === undefined) fence = ticks
      else if (line.trim() === fence) fence = undefined
      return line
    })
    .join("\n")
}
