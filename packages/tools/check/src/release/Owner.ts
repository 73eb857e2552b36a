/**
 * What only an owner can fill in. It stands in the package.json at the root, from which the release writes it into every
 * package, the site takes its address, and nowhere else.
 */
import type { Manifest } from "../Workspace.ts"

export interface Owner {
  /** Address of the repository, such as `https://github.com/name/effect-retry`. */
  readonly repository: string
  /** Address of the site. */
  readonly homepage: string
  readonly author: string
  /** Where to support the work; it may be absent. */
  readonly funding?: string
}

/** Stands for an owner in rehearsals and checks if the repository has none: addresses on this machine. */
export const placeholder: Owner = {
  repository: "http://127.0.0.1/effect-retry",
  homepage: "http://127.0.0.1/site",
  author: "An author"
}

/** The address without what tools put around it. */
export const addressOf = ({ repository }: Manifest): string | undefined =>
  (typeof repository === "string" ? repository : repository?.url)?.replace(/^git\+/, "").replace(/(\.git|\/)$/, "")

/** The owner that the package.json at the root names; nothing if a field is missing. */
export const ownerOf = (manifest: Manifest): Owner | undefined => {
  const repository = addressOf(manifest)
  const { author, funding, homepage } = manifest
  if (repository === undefined || homepage === undefined || author === undefined) return undefined
  return { repository, homepage: homepage.replace(/\/$/, ""), author, ...(funding === undefined ? {} : { funding }) }
}

const required = {
  repository: "the address of the repository",
  homepage: "the address of the site",
  author: "the author"
} as const

/** One line for each field that the release cannot do without. */
export const missingFields = (manifest: Manifest): ReadonlyArray<string> =>
  Object.entries(required)
    .filter(([field]) => !manifest[field as keyof typeof required])
    .map(([field, meaning]) => `package.json: ${field} must be ${meaning}, which every package names`)
