/**
 * The pages of the repository, and the same for readers who have Effect 4, which the derived tests read.
 */
import { exists, filesBelow, read, root } from "@effect-retry/check/Workspace"
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { cache, derivedOf, packages } from "./Packages.ts"
import { forFour } from "./Pages.ts"

/** All pages. */
export const pages = (): ReadonlyArray<string> =>
  ["README.md", ...packages.map((name) => `packages/${name}/README.md`), ...filesBelow("docs")].filter(
    (path) => path.endsWith(".md") && exists(path)
  )

/** Writes the pages for Effect 4 into the cache, with the pictures and files beside them. */
export const writePages = (): void => {
  const docs = join(cache, "docs")
  rmSync(docs, { recursive: true, force: true })
  cpSync(join(root, "docs"), docs, { recursive: true })
  for (const path of pages()) {
    const target = join(cache, path)
    mkdirSync(dirname(target), { recursive: true })
    rmSync(target, { force: true })
    writeFileSync(target, forFour({ text: read(path), four: derivedOf }))
  }
}
