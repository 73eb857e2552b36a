/**
 * Mutation tests within one process.
 *
 * Stryker loads all modules anew for every mutant. Here they are loaded once, with all mutants in them, and the tests that
 * reach a mutant are run again with it switched on.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Instrumenter } from "@stryker-mutator/instrumenter"
import { equivalents } from "./Equivalents.ts"
import { fromInstrumented, known, type Report } from "./Score.ts"

type Logger = ConstructorParameters<typeof Instrumenter>[0]

const ignore = (): void => undefined

const logger: Logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => true,
  isErrorEnabled: () => true,
  isFatalEnabled: () => true,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: console.warn,
  error: console.error,
  fatal: console.error
}

/** A mutant that keeps a test from ever ending keeps all of them: this ends it. */
const longestMillis = 60 * 60_000

/**
 * Mutates the sources of a folder, runs the tests of `tests` against them, and puts the sources back.
 *
 * `isMutated` says of the path of a file, from the folder, whether it is to be mutated.
 */
export const run = async (
  folder: string,
  tests: string,
  statesFile: string,
  isMutated: (path: string) => boolean
): Promise<Report> => {
  const paths = readdirSync(folder)
    .filter((path) => path.endsWith(".ts") && isMutated(path))
    .map((path) => join(folder, path))
  const sources = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]))
  const { files, mutants } = await new Instrumenter(logger).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] }
  )
  mkdirSync(dirname(statesFile), { recursive: true })
  rmSync(statesFile, { force: true })
  // The sources are put back also where the run is interrupted.
  process.once("SIGINT", ignore)
  try {
    for (const { content, name } of files) writeFileSync(name, content)
    const vitest = fileURLToPath(import.meta.resolve("vitest/vitest.mjs"))
    // Tests that fail, such as those that take too long on a busy machine, are shown, and notice nothing.
    spawnSync(process.execPath, [vitest, "run", "--config", "packages/tools/mutation/vitest.config.ts", tests], {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        MUTANT_STATES: statesFile,
        MUTANTS_KNOWN: known(sources, mutants, equivalents).join(",")
      },
      timeout: longestMillis
    })
    if (!existsSync(statesFile)) throw new Error("the tests do not come to an end, or reach no mutant")
  } finally {
    for (const [path, source] of sources) writeFileSync(path, source)
  }
  return fromInstrumented(sources, mutants, JSON.parse(readFileSync(statesFile, "utf8")) as Record<string, string>)
}
