/**
 * What only a rehearsal needs: three versions of Node and three of TypeScript. They stand in
 * `packages/tools/check/rehearsal`, which no workspace names, and go into a folder of the cache, so the ordinary install
 * does without them.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { runIn } from "../Command.ts"
import { root } from "../Workspace.ts"

const declared = join(root, "packages/tools/check/rehearsal")

/** Folder that keeps what a rehearsal has installed and fetched. */
export const cache = join(root, "node_modules/.cache/rehearsal")

export const folder = join(cache, "tools")

/** By the name that a failure shows. The first Node is the oldest one that the manifests allow. */
export const nodes = ["node20", "node22", "node24"].map((name) => join(folder, "node_modules", name, "bin/node"))

/** The libraries of the compilers that check a project. */
export const checkers = ["typescript54", "typescript59"].map((name) =>
  join(folder, "node_modules", name, "lib/typescript.js")
)

/** The newest compiler, whose output is run. */
export const compiler = join(folder, "node_modules/typescript7/bin/tsc")

/** Installs the tools, unless those of the lock file are there. */
export const install = async (): Promise<ReadonlyArray<string>> => {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return ["a rehearsal runs on Linux on x64, for which npm has every version of Node"]
  }
  const lock = "pnpm-lock.yaml"
  const done = join(folder, "node_modules", lock)
  const isThere = existsSync(done) && readFileSync(done).equals(readFileSync(join(declared, lock)))
  if (isThere) return []
  mkdirSync(folder, { recursive: true })
  for (const name of ["package.json", "pnpm-workspace.yaml", lock])
    copyFileSync(join(declared, name), join(folder, name))
  const { error, output } = await runIn({ folder }, "pnpm", "install", "--frozen-lockfile", "--ignore-scripts")
  if (error) return [output]
  copyFileSync(join(declared, lock), done)
  return []
}
