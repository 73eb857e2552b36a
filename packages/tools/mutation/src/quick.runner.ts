/**
 * Runs the tests of a file as ever, and then again with each of the mutants that they reached.
 *
 * `MUTANT_STATES` in the environment names the file in which the state of every mutant is kept.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { RunnerTask, RunnerTestCase, RunnerTestFile } from "vitest"
import { VitestTestRunner } from "vitest/runners"
import { getFn } from "vitest/suite"

/** How often each mutant was reached, by its number. */
interface Reached {
  readonly [mutant: string]: number
}

/**
 * What the code of mutants reads and writes.
 * Source: https://github.com/stryker-mutator/stryker-js, packages/instrumenter/src/util/syntax-helpers.ts, 9.6.1.
 */
interface Instrumented {
  mutantCoverage?: { readonly static: Reached; readonly perTest: { readonly [test: string]: Reached } }
  currentTestId?: string | undefined
  activeMutant?: string | undefined
  hitCount?: number
  hitLimit?: number
}

const stryker = ((globalThis as { __stryker__?: Instrumented }).__stryker__ ??= {})

const statesFile = process.env["MUTANT_STATES"] ?? ""

const testsOf = (tasks: ReadonlyArray<RunnerTask>): ReadonlyArray<RunnerTestCase> =>
  tasks.flatMap((task) => (task.type === "suite" ? testsOf(task.tasks) : [task]))

/** A mutant whose test passes is reached about as often as without it; in an endless loop more and more often. */
const mostOften = (times: number): number => times * 100 + 1000

const passes = async (test: RunnerTestCase, mutant?: string, times = 0): Promise<boolean> => {
  // What is reached now is counted for no test, and not as reached at import either.
  Object.assign(stryker, { activeMutant: mutant, currentTestId: "again", hitCount: 0, hitLimit: mostOften(times) })
  try {
    await getFn(test)()
    return true
  } catch {
    return false
  } finally {
    Object.assign(stryker, { activeMutant: undefined, currentTestId: undefined })
  }
}

/** The tests that pass when they are run again, the short ones first: the others would seem to notice every mutant. */
const repeatable = async (tests: ReadonlyArray<RunnerTestCase>): Promise<ReadonlyArray<RunnerTestCase>> => {
  const found: Array<RunnerTestCase> = []
  for (const test of tests) if (test.result?.state === "pass" && (await passes(test))) found.push(test)
  return found.toSorted((one, other) => (one.result?.duration ?? 0) - (other.result?.duration ?? 0))
}

const judge = async (tests: ReadonlyArray<RunnerTestCase>): Promise<void> => {
  const { perTest = {}, static: atImport = {} } = stryker.mutantCoverage ?? {}
  const states = existsSync(statesFile) ? (JSON.parse(readFileSync(statesFile, "utf8")) as Record<string, string>) : {}
  for (const mutant of Object.keys(atImport)) states[mutant] ??= "Ignored"
  for (const mutant of new Set(tests.flatMap(({ id }) => Object.keys(perTest[id] ?? {})))) {
    if (states[mutant] === "Killed") continue
    states[mutant] = "Survived"
    for (const test of tests) {
      const times = perTest[test.id]?.[mutant]
      if (times === undefined || (await passes(test, mutant, times))) continue
      states[mutant] = "Killed"
      break
    }
  }
  writeFileSync(statesFile, JSON.stringify(states))
}

export default class extends VitestTestRunner {
  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    stryker.currentTestId = test.id
    await super.onBeforeRunTask(test)
  }

  override onAfterRunTask(test: RunnerTask): void {
    stryker.currentTestId = undefined
    super.onAfterRunTask(test)
  }

  override async onAfterRunFiles(files: ReadonlyArray<RunnerTestFile> = []): Promise<void> {
    await judge(await repeatable(testsOf(files)))
    super.onAfterRunFiles()
  }
}
