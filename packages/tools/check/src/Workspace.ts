/** What the checks read from disk. Every path handed out is relative to the root of the repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

export interface Source {
  readonly path: string
  readonly text: string
}

export interface Manifest {
  readonly name: string
  readonly version?: string
  readonly private?: boolean
  readonly repository?: string | { readonly type: string; readonly url: string; readonly directory?: string }
  readonly homepage?: string
  readonly bugs?: string
  readonly author?: string
  readonly funding?: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly publishConfig?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export interface Package {
  /** Folder of the package, such as `packages/core`. */
  readonly folder: string
  readonly manifest: Manifest
}

export const read = (path: string): string => readFileSync(join(root, path), "utf8")

export const exists = (path: string): boolean => existsSync(join(root, path))

/** All files below a folder, sorted; none when the folder is missing. */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  exists(folder)
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
        .toSorted()
    : []

export const sourcesBelow = (folder: string): ReadonlyArray<Source> =>
  filesBelow(folder)
    .filter((path) => path.endsWith(".ts"))
    .map((path) => ({ path, text: read(path) }))

/** The package.json at the root. */
export const rootManifest = (): Manifest => JSON.parse(read("package.json")) as Manifest

/** The packages that go to the registry: all that are not private. */
export const publishedPackages = (): ReadonlyArray<Package> =>
  readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}`)
    .filter((folder) => exists(`${folder}/package.json`))
    .map((folder) => ({ folder, manifest: JSON.parse(read(`${folder}/package.json`)) as Manifest }))
    .filter(({ manifest }) => manifest.private !== true)

/** The folder of a published package. */
export const folderOf = ({ name }: Manifest): string => `packages/${basename(name)}`

/** The source of a module of a package in this repository, such as `@effect-retry/plan/VirtualClock`. */
export const sourceOf = (specifier: string): string => {
  const [scope, name, ...module] = specifier.split("/")
  const folder = `packages/${name}`
  const { exports } = JSON.parse(read(`${folder}/package.json`)) as Manifest
  const target = exports?.[[".", ...module].join("/")] as Readonly<Record<string, string>> | undefined
  const path = scope === "@effect-retry" ? target?.["@effect-retry/source"] : undefined
  if (path === undefined) throw new Error(`${specifier} is not a module of this repository`)
  return `${folder}/${path.slice(2)}`
}
