/**
 * Mutation tests of some files.
 *
 * All mutants are in the code at once, and the tests that reach a mutant are run again with it switched on, in processes
 * that load everything once. A mutant in code that runs while files are loaded is switched on from the start of a process
 * of its own, unless the first way has noticed it.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { Instrumenter } from "@stryker-mutator/instrumenter"
import { equivalents } from "./Equivalents.ts"
import { judge, judgeFromStart } from "./Processes.ts"
import { forgetUnfinished, isSampled, isShareOf, type Judged, readJudged, readReached, writeRun } from "./Run.ts"
import { fromInstrumented, known, type Report, type Status } from "./Score.ts"

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

type Ignorer = NonNullable<Parameters<Instrumenter["instrument"]>[1]["ignorers"]>[number]

/** Classes that exist only in types: they have no code that runs. */
const declared: Ignorer = {
  shouldIgnore: (path) => {
    const { node } = path as unknown as { readonly node: { readonly type: string; readonly declare?: boolean } }
    return node.type === "ClassDeclaration" && node.declare === true ? "declared" : undefined
  }
}

/** A digest of everything that a run depends on: a killed run continues unless something has changed. */
const stateOf = (folder: string, options: ReadonlyArray<unknown>): string => {
  const hash = createHash("sha256").update(JSON.stringify([options, equivalents]))
  const root = join(...folder.split("/").slice(0, 2))
  for (const kind of ["src", "test"]) {
    for (const path of readdirSync(join(root, kind), { recursive: true, encoding: "utf8" }).toSorted()) {
      if (path.endsWith(".ts")) hash.update(path).update(readFileSync(join(root, kind, path)))
    }
  }
  return hash.digest("hex").slice(0, 16)
}

/** How a folder is judged. */
interface Options {
  /** The files of tests, by their names. */
  readonly tests: ReadonlyArray<string>
  readonly processes: number
  /** One mutant of so many is tried. */
  readonly every: number
}

/** Judges the mutants of some files of a package with the tests in the folders that a pattern names. */
export const run = async (
  folder: string,
  paths: ReadonlyArray<string>,
  { every, processes, tests }: Options
): Promise<Report> => {
  const sources = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]))
  const { files, mutants } = await new Instrumenter(logger).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [declared] }
  )
  const directory = resolve("node_modules/.cache/mutation", stateOf(folder, [paths, tests, processes, every]))
  mkdirSync(directory, { recursive: true })
  const ids = mutants.map(({ id }) => id)
  const unsampled = ids.filter((id) => !isSampled(id, every))
  const equivalent = known(sources, mutants, equivalents)
  const untried = new Set([...equivalent, ...unsampled])
  writeRun(directory, {
    tests: tests.map((name) => join(folder, "**", `${name}.test.ts`)),
    sources: Object.fromEntries(files.map(({ content, name }) => [resolve(name), content])),
    untried: [...untried],
    names: Object.fromEntries(mutants.map(({ fileName, id }) => [id, basename(fileName, ".ts")])),
    command: process.pid,
    processes,
    every
  })
  const numbers = Array.from({ length: processes }, (_, number) => `${number}`)
  for (const number of numbers) forgetUnfinished(directory, number)
  const judgedSoFar = (): ReadonlyArray<Judged> => numbers.flatMap((number) => readJudged(directory, number))
  await Promise.all(numbers.map((number) => judge(directory, number)))

  const states = Object.fromEntries(judgedSoFar().map(({ mutant, state }) => [mutant, state]))
  const left = (readReached(directory, "0")?.atImport ?? []).filter(
    (mutant) => !untried.has(mutant) && (states[mutant] ?? "Survived") === "Survived"
  )
  await Promise.all(
    numbers.map((number) =>
      judgeFromStart(
        directory,
        number,
        left.filter((mutant) => isShareOf(number, mutant, { every, processes }))
      )
    )
  )
  const all = Object.fromEntries([
    ...equivalent.map((mutant) => [mutant, "Survived"]),
    ...unsampled.map((mutant) => [mutant, "Untried"]),
    ...judgedSoFar().map(({ mutant, state }) => [mutant, state])
  ]) as Record<string, Status>
  rmSync(directory, { recursive: true })
  return fromInstrumented(sources, mutants, all)
}
