/**
 * Builds the derived packages in a workspace of their own, outside of `node_modules`: below it, a declaration may not
 * name what the cache has installed.
 */
import { run } from "@effect-retry/check/Command"
import { exists, read, root } from "@effect-retry/check/Workspace"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { changelog } from "./Manifest.ts"
import { cache, installed, type Package, packages } from "./Packages.ts"

export interface Building {
  readonly readmeOf: (name: Package) => string
  /** Whether the types are known to be right, which saves half of the time. */
  readonly isChecked: boolean
}

/** Builds the packages of the cache in an empty folder, each into its `dist`, with READMEs; answers what failed. */
export const build = (folder: string, { isChecked, readmeOf }: Building): ReadonlyArray<string> => {
  symlinkSync(installed, join(folder, "node_modules"))
  const files = {
    "pnpm-workspace.yaml": { packages: ["packages/*"] },
    "package.json": { private: true, type: "module" },
    "tsconfig.json": settings(isChecked)
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content))
  for (const name of packages) copy(name, join(folder, "packages", name), readmeOf(name))
  const failures = run("tsc", "-p", folder)
  if (failures.length > 0) return failures
  for (const name of packages) moveBuilt(join(folder, built, name, "src"), join(folder, "packages", name, "dist"))
  return []
}

const built = "built"

const copy = (name: Package, folder: string, readme: string): void => {
  const derived = join(cache, "packages", name)
  cpSync(join(derived, "src"), join(folder, "src"), { recursive: true })
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  writeFileSync(join(folder, "README.md"), readme)
  const changes = `packages/${name}/CHANGELOG.md`
  if (exists(changes)) writeFileSync(join(folder, "CHANGELOG.md"), changelog(read(changes)))
  // What only tests need is not there, and is not packed either.
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(join(derived, "package.json"), "utf8")) as Needs
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  const ours = Object.keys(manifest.dependencies ?? {}).filter((each) => each.startsWith("@effect-retry/"))
  for (const each of ours) link(join(folder, "..", basename(each)), join(folder, "node_modules", each))
  const theirs = join(derived, "node_modules")
  for (const each of existsSync(theirs) ? readdirSync(theirs) : []) {
    link(join(theirs, each), join(folder, "node_modules", each))
  }
}

interface Needs {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: unknown
}

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

const settings = (isChecked: boolean) => {
  const { compilerOptions } = JSON.parse(read("tsconfig.base.json")) as {
    readonly compilerOptions: Readonly<Record<string, unknown>>
  }
  const { composite: _, plugins: __, ...options } = compilerOptions
  return {
    compilerOptions: {
      ...options,
      declaration: true,
      rootDir: "packages",
      outDir: built,
      typeRoots: [join(root, "node_modules/@types")],
      skipLibCheck: true,
      noCheck: isChecked
    },
    include: packages.map((name) => `packages/${name}/src`)
  }
}

/** Moves what is built of a package; its maps lead to the sources beside it. */
const moveBuilt = (from: string, to: string): void => {
  renameSync(from, to)
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith(".map")) continue
    const path = join(entry.parentPath, entry.name)
    const map = JSON.parse(readFileSync(path, "utf8")) as object
    const source = join(dirname(to), "src", relative(to, path).replace(/(\.d\.ts|\.js)\.map$/, ".ts"))
    writeFileSync(path, JSON.stringify({ ...map, sources: [relative(dirname(path), source)] }))
  }
}
