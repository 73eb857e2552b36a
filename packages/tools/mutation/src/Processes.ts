/**
 * The processes that run the tests: started, and started again behind a mutant that has ended one, or kept it from ending.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { environment, forgetReached, judgedPath, readJudged, readReached, readRun, writeJudged } from "./Run.ts"

const vitest = fileURLToPath(import.meta.resolve("vitest/vitest.mjs"))

/** A mutant has some seconds of the processor; on a busy machine these take longer. */
const longestMillis = 90_000

const running = new Set<ChildProcess>()

const kill = ({ pid }: ChildProcess): void => {
  try {
    // With the workers of vitest: a process that is started detached has a group of its own.
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}

/** The processes end with the command, even if a signal ends it. */
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129]
] as const) {
  process.once(signal, () => {
    for (const child of running) kill(child)
    process.exit(code)
  })
}

/** The mutant that was tried last and has no end. */
const unfinished = (folder: string, number: string): string | undefined => {
  const last = readJudged(folder, number).at(-1)
  return last?.state === "Running" ? last.mutant : undefined
}

/** The files of tests for a mutant that is on from the start: those that reach other code of its file. */
const filesFor = (folder: string, mutant: string | undefined): ReadonlyArray<string> =>
  mutant === undefined ? [] : (readReached(folder, "0")?.files[readRun(folder).names[mutant] ?? ""] ?? [])

/** Runs the tests; true if they came to an end. */
const tests = (folder: string, number: string, mutant?: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const config = ["--config", "packages/tools/mutation/vitest.config.ts"]
    const child = spawn(process.execPath, [vitest, "run", ...config, ...filesFor(folder, mutant)], {
      // Tests that fail without a mutant, such as slow ones on a busy machine, are shown, and do not count.
      stdio: ["ignore", "ignore", mutant === undefined ? "inherit" : "ignore"],
      detached: true,
      env: {
        // All runs of a law: the quarter of the test command may miss a mutant.
        LAW_RUNS: "1",
        ...process.env,
        [environment.folder]: folder,
        [environment.process]: number,
        ...(mutant !== undefined && { [environment.mutant]: mutant })
      }
    })
    running.add(child)
    let inTime = true
    const watch = setInterval(() => {
      const isRunning = unfinished(folder, number) !== undefined
      if (isRunning && Date.now() - statSync(judgedPath(folder, number)).mtimeMs > longestMillis) inTime = false
      if (!inTime || (mutant !== undefined && !isRunning)) kill(child)
    }, 250)
    child.once("error", reject)
    child.once("exit", () => {
      clearInterval(watch)
      kill(child)
      running.delete(child)
      resolve(inTime)
    })
  })

/** Has one process judge its share of the mutants. */
export const judge = async (folder: string, number: string): Promise<void> => {
  for (;;) {
    forgetReached(folder, number)
    const inTime = await tests(folder, number)
    if (readReached(folder, number) === undefined) throw new Error("the tests do not come to an end")
    const mutant = unfinished(folder, number)
    if (mutant === undefined) return
    writeJudged(folder, number, { mutant, state: inTime ? "Killed" : "Timeout" })
  }
}

/** Has one process judge mutants that are on from the start, one after the other: what is made once is made with them. */
export const judgeFromStart = async (folder: string, number: string, mutants: ReadonlyArray<string>): Promise<void> => {
  for (const mutant of mutants) {
    writeJudged(folder, number, { mutant, state: "Running" })
    const inTime = await tests(folder, number, mutant)
    if (unfinished(folder, number) === mutant) {
      writeJudged(folder, number, { mutant, state: inTime ? "Killed" : "Timeout" })
    }
  }
}
