/**
 * The result of a run of mutation tests.
 */
import type { Equivalents } from "./Equivalent.ts"
import type { State } from "./Run.ts"
import { change, declarationAt } from "./Shape.ts"

/**
 * The outcome of a mutant. No test reaches one without coverage, and the sample of the run does not have one that is untried.
 */
export type Status = State | "NoCoverage" | "Untried"

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
interface Survivor {
  readonly file: string
  readonly lineNumber: number
  readonly line: string
  /** Its entry in the list, if no test can notice it. */
  readonly name: string
  readonly original: string
  readonly replacement: string
  readonly mutator: string
  readonly status: Status
}

/**
 * How many mutants of a folder there are and were run, how many of these the tests noticed, and those that they did not.
 */
export interface Score {
  readonly all: number
  readonly run: number
  readonly killed: number
  /** Of those that were noticed, those with which a test did not come to an end in time. */
  readonly late: ReadonlyArray<Survivor>
  readonly equivalent: number
  readonly survivors: ReadonlyArray<Survivor>
  /** Those of its files that are listed as equivalent, and are not there. */
  readonly gone: ReadonlyArray<string>
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
  equivalents: Equivalents
): ReadonlyArray<string> => {
  const { files } = fromInstrumented(sources, mutants, {})
  return Object.entries(files).flatMap(([file, { mutants: placed, source }]) => {
    const ids = mutants.filter(({ fileName }) => fileName === file).map(({ id }) => id)
    return survivorsOf(file, source, placed).flatMap((survivor, index) =>
      isListed(equivalents, survivor) ? (ids[index] ?? []) : []
    )
  })
}

/** The instrumenter counts from 0. */
const fromOne = ({ end, start }: Mutant["location"]): Mutant["location"] => ({
  start: { line: start.line + 1, column: start.column + 1 },
  end: { line: end.line + 1, column: end.column + 1 }
})

const noticed: ReadonlyArray<Status> = ["Killed", "Timeout"]

/**
 * Counts a report.
 */
export const score = (report: Report, equivalents: Equivalents): Score => {
  const all = Object.entries(report.files).flatMap(([file, { mutants, source }]) => survivorsOf(file, source, mutants))
  const tried = all.filter(({ status }) => status !== "Untried")
  const left = tried.filter(({ status }) => !noticed.includes(status))
  const survivors = left.filter((survivor) => !isListed(equivalents, survivor))
  return {
    all: all.length,
    run: tried.length,
    killed: tried.length - left.length,
    late: tried.filter(({ status }) => status === "Timeout"),
    equivalent: left.length - survivors.length,
    survivors,
    gone: Object.keys(report.files).flatMap((file) =>
      Object.keys(equivalents[file] ?? {})
        .filter((name) => !all.some((survivor) => survivor.file === file && survivor.name === name))
        .map((name) => `${file}: ${name}`)
    )
  }
}

/**
 * The share of the mutants that the tests noticed, in percent, without those that are equivalent to the code.
 */
export const percent = ({ equivalent, killed, run }: Pick<Score, "equivalent" | "killed" | "run">): number =>
  run === equivalent ? 100 : (killed / (run - equivalent)) * 100

const isListed = (equivalents: Equivalents, { file, name }: Survivor): boolean =>
  equivalents[file]?.[name] !== undefined

/** The mutants of a file, as they are; those of one name in one declaration get a number, from the first in the file. */
const survivorsOf = (file: string, source: string, mutants: ReadonlyArray<Mutant>): ReadonlyArray<Survivor> => {
  const all = mutants.map((mutant) => survivorOf(file, source, mutant))
  const inOrder = mutants.map((_, index) => index).toSorted((one, other) => byPlace(mutants[one]!, mutants[other]!))
  return all.map((survivor, index) => {
    const alike = inOrder.filter((other) => all[other]?.name === survivor.name)
    return alike.length === 1 ? survivor : { ...survivor, name: `${survivor.name}, ${alike.indexOf(index) + 1}` }
  })
}

const byPlace = ({ location: one }: Mutant, { location: other }: Mutant): number =>
  one.start.line - other.start.line ||
  one.start.column - other.start.column ||
  one.end.line - other.end.line ||
  one.end.column - other.end.column

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
  const { replacement = "" } = mutant
  return {
    file,
    lineNumber: start.line,
    line: (lines[start.line - 1] ?? "").trim(),
    name: `${declarationAt(source, start.line)}: ${mutant.mutatorName}, ${change(mutant.mutatorName, original, replacement)}`,
    original,
    replacement,
    mutator: mutant.mutatorName,
    status: mutant.status
  }
}
