/**
 * What a run of mutation tests came to.
 */
import type { Equivalent } from "./Equivalent.ts"
import type { State } from "./Run.ts"

/**
 * What became of a mutant. No test reaches one without coverage.
 */
export type Status = State | "NoCoverage"

/**
 * The sources of a run, each with its mutants.
 */
export interface Report {
  readonly files: {
    readonly [path: string]: { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }
  }
}

export interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: Status
  readonly location: { readonly start: Place; readonly end: Place }
}

/** Both count from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

/**
 * A mutant by what it replaces, and where.
 */
export interface Survivor {
  readonly file: string
  readonly lineNumber: number
  readonly line: string
  readonly original: string
  readonly replacement: string
  readonly mutator: string
  readonly status: Status
}

/**
 * How many mutants of a folder were run, how many of them the tests noticed, and those that they did not.
 */
export interface Score {
  readonly run: number
  readonly killed: number
  /** Of those that were noticed, those with which a test did not come to an end in time. */
  readonly late: ReadonlyArray<Survivor>
  readonly equivalent: number
  readonly survivors: ReadonlyArray<Survivor>
}

/**
 * The report on mutants that were made of `sources`, with the state of each by its number.
 */
export const fromInstrumented = (
  sources: ReadonlyMap<string, string>,
  mutants: ReadonlyArray<Omit<Mutant, "status"> & { readonly id: string; readonly fileName: string }>,
  states: { readonly [id: string]: Status }
): Report => ({
  files: Object.fromEntries(
    [...sources].map(([path, source]) => [
      path,
      {
        source,
        mutants: mutants
          .filter(({ fileName }) => fileName === path)
          .map((mutant) => ({
            ...mutant,
            location: fromOne(mutant.location),
            status: states[mutant.id] ?? "NoCoverage"
          }))
      }
    ])
  )
})

/**
 * The numbers of the mutants that are listed as equivalent.
 */
export const known = (
  sources: ReadonlyMap<string, string>,
  mutants: ReadonlyArray<Omit<Mutant, "status"> & { readonly id: string; readonly fileName: string }>,
  equivalents: ReadonlyArray<Equivalent>
): ReadonlyArray<string> =>
  mutants
    .filter((mutant) => {
      const placed = { ...mutant, location: fromOne(mutant.location), status: "Survived" as const }
      const survivor = survivorOf(mutant.fileName, sources.get(mutant.fileName) ?? "", placed)
      return equivalents.some((equivalent) => isSame(equivalent, survivor))
    })
    .map(({ id }) => id)

/** The instrumenter counts from 0. */
const fromOne = ({ end, start }: Mutant["location"]): Mutant["location"] => ({
  start: { line: start.line + 1, column: start.column + 1 },
  end: { line: end.line + 1, column: end.column + 1 }
})

const noticed: ReadonlyArray<Status> = ["Killed", "Timeout"]

/**
 * Counts a report.
 */
export const score = (report: Report, equivalents: ReadonlyArray<Equivalent>): Score => {
  const all = Object.entries(report.files).flatMap(([file, { mutants, source }]) =>
    mutants.map((mutant) => ({ mutant, survivor: survivorOf(file, source, mutant) }))
  )
  const left = all.filter(({ mutant }) => !noticed.includes(mutant.status)).map(({ survivor }) => survivor)
  const late = all.filter(({ mutant }) => mutant.status === "Timeout").map(({ survivor }) => survivor)
  const survivors = left.filter((survivor) => !equivalents.some((known) => isSame(known, survivor)))
  return {
    run: all.length,
    killed: all.length - left.length,
    late,
    equivalent: left.length - survivors.length,
    survivors
  }
}

/**
 * The share of the mutants that the tests noticed, in percent, without those that are equivalent to the code.
 */
export const percent = ({ equivalent, killed, run }: Pick<Score, "equivalent" | "killed" | "run">): number =>
  run === equivalent ? 100 : (killed / (run - equivalent)) * 100

const isSame = (known: Equivalent, { file, line, original, replacement }: Survivor): boolean =>
  known.file === file && known.line === line && known.original === original && known.replacement === replacement

const survivorOf = (file: string, source: string, mutant: Mutant): Survivor => {
  const { end, start } = mutant.location
  const lines = source.split("\n")
  const within = lines.slice(start.line - 1, end.line)
  const last = within.length - 1
  const original = within
    .map((line, index) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : line.length).trim()
    )
    .join(" ")
  return {
    file,
    lineNumber: start.line,
    line: (lines[start.line - 1] ?? "").trim(),
    original,
    replacement: mutant.replacement ?? "",
    mutator: mutant.mutatorName,
    status: mutant.status
  }
}
