/**
 * Runs the tests of all files once without a mutant, and then, the short ones first, again with each of the mutants that
 * they reached. Where the environment names a mutant, it runs them once, with that mutant on from the start.
 */
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, vi } from "vitest"
import { VitestTestRunner } from "vitest/runners"
import { getFn, getHooks } from "vitest/suite"
import {
  environment,
  isShareOf,
  readJudged,
  readReached,
  readRun,
  showProgress,
  type State,
  writeJudged,
  writeReached
} from "./Run.ts"

/** How often each mutant was reached, by its number. */
interface Reached {
  readonly [mutant: string]: number
}

interface PerTest {
  readonly [test: string]: Reached
}

/**
 * What the code of mutants reads and writes.
 * Source: https://github.com/stryker-mutator/stryker-js, packages/instrumenter/src/util/syntax-helpers.ts, 9.6.1.
 */
interface Instrumented {
  mutantCoverage?: { readonly static: Reached; readonly perTest: PerTest }
  currentTestId?: string | undefined
  activeMutant?: string | undefined
  hitCount?: number
  hitLimit?: number
}

const stryker = ((globalThis as { __stryker__?: Instrumented }).__stryker__ ??= {})

/** Source: https://github.com/vitest-dev/vitest, packages/vitest/src/types/worker.ts, `WorkerGlobalState`, 3.2.7. */
const worker = (globalThis as { __vitest_worker__?: { readonly ctx: { readonly files: ReadonlyArray<unknown> } } })
  .__vitest_worker__

const folder = process.env[environment.folder] ?? ""
const number = process.env[environment.process] ?? ""
const fromStart = process.env[environment.mutant]
const run = readRun(folder)

// Before any file is loaded. Tests that count their mutants would count this one as reached at import.
if (fromStart !== undefined) stryker.activeMutant = fromStart

const testsOf = (tasks: ReadonlyArray<RunnerTask>): ReadonlyArray<RunnerTestCase> =>
  tasks.flatMap((task) => (task.type === "suite" ? testsOf(task.tasks) : [task]))

/** A mutant whose test passes is reached about as often as without it; in an endless loop more and more often. */
const mostOften = (times: number): number => times * 100 + 1000

const again = async (test: RunnerTestCase, mutant?: string, times = 0): Promise<State> => {
  // What is reached now is counted for no test, and not as reached at import either.
  Object.assign(stryker, { activeMutant: mutant, currentTestId: "again", hitCount: 0, hitLimit: mostOften(times) })
  const controller = new AbortController()
  // The signal of the run before stays aborted if the test took too long then.
  Object.assign(test.context, { signal: controller.signal })
  try {
    await withHooks(test)
    return "Survived"
  } catch (error) {
    controller.abort()
    vi.restoreAllMocks()
    return /^(Test|Hook) timed out/.test(String((error as Error | undefined)?.message)) ? "Timeout" : "Killed"
  } finally {
    Object.assign(stryker, { activeMutant: undefined, currentTestId: undefined })
  }
}

/** The outermost first. */
const suitesOf = (test: RunnerTestCase): ReadonlyArray<RunnerTestSuite> => {
  const inner: Array<RunnerTestSuite> = []
  for (let suite = test.suite; suite !== undefined; suite = suite.suite) inner.unshift(suite)
  return [...new Set([test.file, ...inner])]
}

const withHooks = async (test: RunnerTestCase): Promise<void> => {
  const suites = suitesOf(test)
  const last: Array<() => unknown> = suites.flatMap((suite) =>
    getHooks(suite).afterEach.map((hook) => () => hook(test.context, suite))
  )
  try {
    for (const suite of suites) {
      for (const hook of getHooks(suite).beforeEach) {
        const cleanUp: unknown = await hook(test.context, suite)
        if (typeof cleanUp === "function") last.push(() => cleanUp())
      }
    }
    await getFn(test)()
  } finally {
    for (const hook of last.toReversed()) await hook()
  }
}

/** The short ones first. */
const sorted = (tests: ReadonlyArray<RunnerTestCase>): ReadonlyArray<RunnerTestCase> =>
  tests.toSorted((one, other) => (one.result?.duration ?? 0) - (other.result?.duration ?? 0))

/** Most of the processor's time that a mutant has: the last tests of one that none notices are the longest. */
const mostMicros = 4_000_000

const micros = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/** A test that takes longer is repeated after all that do not: several of these would take all of the time. */
const shortMillis = 200

/**
 * Those that reach a mutant: the short ones before the long ones, and of either the ones in the file of tests that has its
 * name first.
 */
const reaching = (tests: ReadonlyArray<RunnerTestCase>, mutant: string, reached: PerTest) => {
  const isLong = ({ result }: RunnerTestCase): boolean => (result?.duration ?? 0) > shortMillis
  const isOwn = ({ file }: RunnerTestCase): boolean => file.name.endsWith(`/${run.names[mutant]}.test.ts`)
  const place = (test: RunnerTestCase): number => (isLong(test) ? 2 : 0) + (isOwn(test) ? 0 : 1)
  return tests
    .filter(({ id }) => reached[id]?.[mutant] !== undefined)
    .toSorted((one, other) => place(one) - place(other))
}

/** The outcome of a mutant. The test that notices it comes first from then on: it often notices its neighbours. */
const judged = async (tests: Array<RunnerTestCase>, mutant: string, reached: PerTest): Promise<State> => {
  const end = micros() + mostMicros
  for (const test of reaching(tests, mutant, reached)) {
    if (micros() > end) break
    const state = await again(test, mutant, reached[test.id]?.[mutant])
    if (state === "Survived") continue
    const place = tests.indexOf(test)
    tests.splice(place, 1)
    if ((await again(test)) === "Survived") {
      tests.splice(state === "Killed" ? 0 : place, 0, test)
      return state
    }
    // It cannot be repeated, or a mutant has left something behind: it would seem to notice all.
    console.error(`is left out, as it fails without a mutant too: ${test.file.name}: ${test.name}`)
  }
  return "Survived"
}

/** The mutants left for this process: its share, without those that were judged before one ended a process. */
const mutantsOf = (mutants: ReadonlyArray<string>): ReadonlyArray<string> => {
  const judged = new Set(readJudged(folder, number).map(({ mutant }) => mutant))
  return mutants.filter((mutant) => isShareOf(number, mutant, run) && !judged.has(mutant))
}

/** Ends the processes of a command that was killed: this one, and the one that has started it. */
const endWithCommand = (): void => {
  try {
    process.kill(run.command, 0)
  } catch {
    process.kill(-process.ppid, "SIGKILL")
  }
}

const filesReaching = (tests: ReadonlyArray<RunnerTestCase>, perTest: PerTest) => {
  const files: Record<string, Array<string>> = {}
  for (const { file, id } of tests) {
    for (const mutant of Object.keys(perTest[id] ?? {})) {
      const reaching = (files[run.names[mutant] ?? ""] ??= [])
      if (!reaching.includes(file.name)) reaching.push(file.name)
    }
  }
  return files
}

const judge = async (tests: ReadonlyArray<RunnerTestCase>): Promise<void> => {
  const { perTest = {}, static: atImport = {} } = stryker.mutantCoverage ?? {}
  writeReached(folder, number, {
    atImport: Object.keys(atImport),
    passed: tests.map(({ id }) => id),
    files: filesReaching(tests, perTest)
  })
  const left = [...tests]
  const untried = new Set(run.untried)
  for (const mutant of mutantsOf([...new Set(tests.flatMap(({ id }) => Object.keys(perTest[id] ?? {})))])) {
    endWithCommand()
    if (untried.has(mutant)) continue
    writeJudged(folder, number, { mutant, state: "Running" })
    writeJudged(folder, number, { mutant, state: await judged(left, mutant, perTest) })
  }
}

/**
 * Of the first test that fails and passes without the mutant, or the first file that cannot be loaded. The command ends
 * this process then.
 */
const notice = (mutant: string, failed: RunnerTask): void => {
  const passed = readReached(folder, number)?.passed ?? []
  const isNoticed = passed.some((test) => test === failed.id || test.startsWith(`${failed.id}_`))
  if (isNoticed) writeJudged(folder, number, { mutant, state: "Killed" })
}

/** Most of the processor's time of a process with a mutant that is on from the start, which loads everything first. */
const mostMicrosFromStart = 20_000_000

/** The tests that are left are long. The command ends this process then. */
const giveUp = (mutant: string): void => {
  if (readJudged(folder, number).at(-1)?.state === "Running") writeJudged(folder, number, { mutant, state: "Survived" })
}

export default class extends VitestTestRunner {
  readonly #tests: Array<RunnerTestCase> = []
  #filesLeft = worker?.ctx.files.length ?? 0

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    stryker.currentTestId = test.id
    await super.onBeforeRunTask(test)
  }

  override onAfterRunTask(test: RunnerTask): void {
    stryker.currentTestId = undefined
    if (fromStart !== undefined) {
      showProgress(folder, number)
      if (test.result?.state === "fail") notice(fromStart, test)
      else if (micros() > mostMicrosFromStart) giveUp(fromStart)
    }
    super.onAfterRunTask(test)
  }

  override async onAfterRunFiles(files: ReadonlyArray<RunnerTestFile> = []): Promise<void> {
    this.#filesLeft -= 1
    if (fromStart === undefined) {
      this.#tests.push(...testsOf(files).filter(({ result }) => result?.state === "pass"))
      if (this.#filesLeft === 0) await judge(sorted(this.#tests))
    } else {
      for (const file of files) if (file.result?.state === "fail") notice(fromStart, file)
      if (this.#filesLeft === 0) giveUp(fromStart)
    }
    super.onAfterRunFiles()
  }
}
