/** Short sources, derived. */
import { derive } from "@effect-retry/effect4/Derive"
import { type Exports, exportsOf } from "@effect-retry/effect4/Line4"
import { written } from "@effect-retry/effect4/Origin"
import { join } from "node:path"
import ts from "typescript5"

/** What is installed of both, for a table that names members of both. */
export const effect4: Exports = exportsOf(join(import.meta.dirname, "../node_modules/effect-4"))

export const derived = (text: string) => {
  const file = ts.createSourceFile("source.ts", text, ts.ScriptTarget.ES2022, true)
  return derive({ path: "source.ts", file, names: written(file), exports: effect4 })
}

/** The source without its imports, and what it imports. */
export const body = (text: string): string =>
  derived(text)
    .text.replaceAll(/^import .*\n/gm, "")
    .trim()
