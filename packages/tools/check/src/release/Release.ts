/**
 * What a package says of the repository it comes from. The address is written once, as `repository` in the package.json
 * at the root; the files in the repository do without it.
 */
import { posix } from "node:path"
import type { Manifest } from "../Workspace.ts"

export interface ReleaseInput {
  /** Folder of the package, such as `packages/core`. */
  readonly folder: string
  /** Address of the repository, such as `https://example.com/effect-retry`. */
  readonly repository: string | undefined
}

/** The address without what tools put around it. */
export const addressOf = ({ repository }: Manifest): string | undefined =>
  (typeof repository === "string" ? repository : repository?.url)?.replace(/^git\+/, "").replace(/(\.git|\/)$/, "")

/** The manifest with the address of the repository, where there is one. */
export const releasedManifest = (manifest: Manifest, { folder, repository }: ReleaseInput): Manifest =>
  repository === undefined
    ? manifest
    : {
        ...manifest,
        homepage: `${repository}/tree/HEAD/${folder}#readme`,
        bugs: `${repository}/issues`,
        repository: { type: "git", url: `git+${repository}.git`, directory: folder }
      }

/**
 * The README with links that hold outside of the repository: relative links lead to the address, and without an address
 * only their text is left.
 */
export const releasedReadme = (text: string, { folder, repository }: ReleaseInput): string => {
  const release = (line: string) =>
    line.replace(relativeLink, (_, image: string, label: string, target: string) => {
      const [path = "", anchor] = target.split("#")
      const hash = anchor === undefined ? "" : `#${anchor}`
      const view = image === "" ? "blob" : "raw"
      return repository === undefined
        ? label
        : `${image}[${label}](${repository}/${view}/HEAD/${posix.join(folder, path)}${hash})`
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
