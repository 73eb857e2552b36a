/**
 * The examples in the comments of the derived sources: compiled with them, and run.
 */
import { docExamples, importing } from "@effect-retry/check/DocExamples"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { node } from "./Install.ts"
import { cache, type Package } from "./Packages.ts"

interface Example {
  /** Its path in the cache: inside of its package, where it finds what the package needs. */
  readonly name: string
  readonly code: string
}

export const folderOf = (name: Package): string => `packages/${name}/examples`

/** Those of one package, of the sources of all by their paths. */
export const examplesIn = (name: Package, sources: ReadonlyMap<string, string>): ReadonlyArray<Example> =>
  [...sources]
    .filter(([target]) => target.startsWith(`${name}/src/`))
    .flatMap(([target, text]) => docExamples({ path: `packages/${target}`, text }).examples)
    .map((example) => ({ name: `${folderOf(name)}/${example.name}`, code: example.code }))

/** A program that runs them all. */
export const program = "packages/examples.mjs"

export const programOf = (examples: ReadonlyArray<Example>): string =>
  importing(examples.map(({ name }) => name.slice("packages/".length)))

/** Runs the examples; answers what has failed. */
export const runExamples = (): ReadonlyArray<string> => {
  const { status, stderr } = spawnSync(
    node(),
    [
      "--conditions=@effect-retry/source",
      "--disable-warning=ExperimentalWarning",
      `--import=${new URL("stripped.mjs", import.meta.url)}`,
      join(cache, program)
    ],
    { encoding: "utf8" }
  )
  return status === 0 ? [] : [`the examples of Effect 4 failed\n${stderr}`]
}
