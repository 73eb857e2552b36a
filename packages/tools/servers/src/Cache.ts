/**
 * The directory in which servers are kept that the machine does not have: below `node_modules/.cache` of the repository.
 */
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"

/** A workspace below `node_modules` is what a tool has written there. */
const isRoot = (directory: string): boolean =>
  existsSync(join(directory, "pnpm-workspace.yaml")) && !directory.split(sep).includes("node_modules")

const rootAbove = (directory: string): string =>
  isRoot(directory) || dirname(directory) === directory ? directory : rootAbove(dirname(directory))

/** The directory of the cache, which may not exist yet. */
export const directory: string = join(rootAbove(dirname(fileURLToPath(import.meta.url))), "node_modules", ".cache")

/**
 * Makes an entry of the cache, unless there is one. Several processes may do so at once: each fills a directory of its
 * own, and the first one to rename it wins. Answers the path of the entry.
 */
export const entry = async (name: string, fill: (directory: string) => Promise<void>): Promise<string> => {
  const path = join(directory, name)
  if (existsSync(path)) return path
  await mkdir(directory, { recursive: true })
  const made = await mkdtemp(join(directory, `${name}.`))
  try {
    await fill(made)
    await rename(made, path).catch((error: unknown) => {
      if (!existsSync(path)) throw error
    })
    return path
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}
