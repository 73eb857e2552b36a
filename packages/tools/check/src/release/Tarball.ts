/** What must be in a package that goes to the registry, and what must not. */
import type { Finding } from "../Finding.ts"
import { linkedFiles, relativeLinks } from "./Release.ts"
import type { Manifest } from "../Workspace.ts"

export interface TarballInput {
  /** The package.json in the repository, which the findings point to. */
  readonly manifestPath: string
  /** Paths inside the tarball, without the leading `package/`. */
  readonly entries: ReadonlyArray<string>
  /** The package.json as it was packed. */
  readonly packed: Manifest
  /** The README.md as it was packed. */
  readonly readme: string
  /** The address that the release was given. */
  readonly repository: string
  /** Whether the repository has this file. */
  readonly isInRepository: (path: string) => boolean
}

export const checkTarball = ({
  entries,
  isInRepository,
  manifestPath,
  packed,
  readme,
  repository
}: TarballInput): ReadonlyArray<Finding> => {
  const has = (path: string) => entries.includes(path)
  const missing = [
    ...["LICENSE", "README.md", "src/index.ts"].filter((path) => !has(path)),
    ...entries
      .filter((path) => /^src\/.*\.ts$/.test(path))
      .flatMap((path) => builtFrom(path).filter((built) => !has(built))),
    ...targetsOf(packed.exports).filter((path) => !has(path))
  ]
  const surplus = entries.filter((path) => !allowed(path, has))
  const leaks = Object.entries({ ...packed.dependencies, ...packed.peerDependencies }).filter(([, range]) =>
    range.startsWith("workspace:")
  )
  const messages = [
    ...[...new Set(missing)].map((path) => `the tarball lacks ${path}`),
    ...surplus.map((path) => `the tarball should not contain ${path}`),
    ...leaks.map(([name, range]) => `the tarball depends on ${name} ${range}, which only exists in the workspace`),
    ...relativeLinks(readme)
      .filter((link) => !has(link.split("#")[0] ?? ""))
      .map((link) => `the README links to ${link}, which is not in the tarball`),
    ...linkedFiles(readme, repository)
      .filter((path) => !isInRepository(path))
      .map((path) => `the README links to ${path}, which is not in the repository`),
    ...(JSON.stringify(packed.exports ?? {}).includes("@effect-retry/source")
      ? ["the tarball still has the source condition in its exports"]
      : [])
  ]
  return messages.map((message) => ({ file: manifestPath, line: 1, message }))
}

const builtFrom = (source: string): ReadonlyArray<string> => {
  const stem = source.replace(/^src\//, "dist/").replace(/\.ts$/, "")
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`, `${stem}.d.ts.map`]
}

const allowed = (path: string, has: (path: string) => boolean): boolean => {
  if (["LICENSE", "README.md", "CHANGELOG.md", "package.json"].includes(path)) return true
  if (/(^|\/)tests?\/|\.test\./.test(path)) return false
  if (path.startsWith("src/")) return path.endsWith(".ts")
  // Output whose source is gone would keep a deleted module alive.
  const source = path.replace(/^dist\//, "src/").replace(/\.(js|d\.ts)(\.map)?$/, ".ts")
  return path.startsWith("dist/") && has(source)
}

/** Every file an exports map points to, whatever conditions lead there. */
const targetsOf = (exports: unknown): ReadonlyArray<string> => {
  if (typeof exports === "string") return [exports.replace(/^\.\//, "")]
  return typeof exports === "object" && exports !== null ? Object.values(exports).flatMap(targetsOf) : []
}
