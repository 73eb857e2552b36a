/**
 * What the command and the processes that run the tests write for each other.
 *
 * A run has a folder of its own: `run.json`, and for each process the mutants it has judged, a line each, written as soon
 * as they are known.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface Run {
  /** Patterns of the files of tests, from the root of the repository. */
  readonly tests: ReadonlyArray<string>
  /** The code with all mutants in it, by its whole path. */
  readonly sources: { readonly [path: string]: string }
  /** The mutants that are not tried, by their numbers: no test can notice them, or the sample does not have them. */
  readonly untried: ReadonlyArray<string>
  /** The names of the files that the mutants are in, without an ending, by their numbers. */
  readonly names: { readonly [mutant: string]: string }
  /** The number of the process of the command: its processes end with it. */
  readonly command: number
  readonly processes: number
  /** One mutant of so many is tried. */
  readonly every: number
}

export type State = "Survived" | "Killed" | "Timeout"

export interface Judged {
  readonly mutant: string
  readonly state: State | "Running"
}

/** What the tests reach without any mutant. */
export interface Reached {
  /** The numbers of the mutants in code that runs while files are loaded. */
  readonly atImport: ReadonlyArray<string>
  /** The tests that pass. */
  readonly passed: ReadonlyArray<string>
  /** The files of tests that reach code of a file, by the name of that file without an ending. */
  readonly files: { readonly [name: string]: ReadonlyArray<string> }
}

/** In the environment of a process: the folder of its run, its own number, and the mutant that is on from the start. */
export const environment = { folder: "MUTATION_RUN", process: "MUTATION_PROCESS", mutant: "MUTATION_MUTANT" }

const read = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "")

export const readRun = (folder: string): Run => JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as Run

export const writeRun = (folder: string, run: Run): void => writeFileSync(join(folder, "run.json"), JSON.stringify(run))

/** Whether a sample of one mutant of `every` has this one. */
export const isSampled = (mutant: string, every: number): boolean => Number(mutant) % every === 0

/**
 * Whether a process judges a mutant. All verdicts on a mutant come from one process, in order: the last one counts.
 */
export const isShareOf = (
  process: string,
  mutant: string,
  { every, processes }: Pick<Run, "every" | "processes">
): boolean => Math.floor(Number(mutant) / every) % processes === Number(process)

const reachedPath = (folder: string, process: string): string => join(folder, `reached-${process}.json`)

/** Absent until all tests have run once. */
export const readReached = (folder: string, process: string): Reached | undefined => {
  const text = read(reachedPath(folder, process))
  return text === "" ? undefined : (JSON.parse(text) as Reached)
}

export const writeReached = (folder: string, process: string, reached: Reached): void =>
  writeFileSync(reachedPath(folder, process), JSON.stringify(reached))

/** Before all tests run once more: what they reach is not known until they have. */
export const forgetReached = (folder: string, process: string): void =>
  rmSync(reachedPath(folder, process), { force: true })

export const judgedPath = (folder: string, process: string): string => join(folder, `judged-${process}.jsonl`)

/** In the order in which they were judged. The last line of a process that was killed may be torn: it is left out. */
export const readJudged = (folder: string, process: string): ReadonlyArray<Judged> =>
  read(judgedPath(folder, process))
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Judged)

export const writeJudged = (folder: string, process: string, judged: Judged): void =>
  appendFileSync(judgedPath(folder, process), `${JSON.stringify(judged)}\n`)

/** Shows the command that a process makes progress, though it has judged nothing. */
export const showProgress = (folder: string, process: string): void => {
  const now = new Date()
  utimesSync(judgedPath(folder, process), now, now)
}

/** Before a run that was killed goes on: the mutant that it was judging is judged once more. */
export const forgetUnfinished = (folder: string, process: string): void => {
  const judged = readJudged(folder, process)
  const finished = judged.filter(({ state }) => state !== "Running")
  writeFileSync(judgedPath(folder, process), finished.map((one) => `${JSON.stringify(one)}\n`).join(""))
}
