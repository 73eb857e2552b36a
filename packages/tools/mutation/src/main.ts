/**
 * Mutation tests of a folder: changes its code in small ways, one after the other, and runs the tests that reach each
 * change.
 *
 *     pnpm mutation core/loop                        a stage of a package with its rooms, with its tests and those of `accept`
 *     pnpm mutation core/loop/run                    a room of it, with the same tests
 *     pnpm mutation plan/bounds                      a room of a package without stages, with all tests of the package
 *     pnpm mutation core/loop Loop.ts                one file of it, or several
 *     pnpm mutation core/loop Loop.ts --tests=Loop,Retry    the same with two files of tests
 *     pnpm mutation core/loop --processes=2          twice as fast with two processors
 *     pnpm mutation core/loop --every=10             a sample: one of ten mutants
 *     pnpm mutation core/loop --write                writes the score into `docs/quality.md`
 *     pnpm mutation --changed=origin/main            the files that a branch has changed
 *     pnpm mutation --stages                         prints the stages that have a floor
 *     pnpm mutation --count                          writes into that page how many laws and the like there are
 *
 * Prints the mutants that no test noticed, and fails below the floor of the folder. The sources are not written to. A run
 * that was killed goes on where it ended.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Count from "./Count.ts"
import { equivalents } from "./Equivalents.ts"
import * as Folders from "./Folders.ts"
import * as Judge from "./Judge.ts"
import * as Kept from "./Kept.ts"
import { withCount, withScore } from "./Page.ts"
import { percent, type Report, type Score, score } from "./Score.ts"

process.chdir(fileURLToPath(new URL("../../../../", import.meta.url)))

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: "string" },
    count: { type: "boolean" },
    every: { type: "string", default: "1" },
    processes: { type: "string", default: "1" },
    stages: { type: "boolean" },
    tests: { type: "string", default: "*" },
    write: { type: "boolean" }
  }
})

const page = "docs/quality.md"

const git = (...args: ReadonlyArray<string>): string => execFileSync("git", args, { encoding: "utf8" }).trim()

/** The short hash, marked if the packages have uncommitted changes. */
const commit = (): string => {
  const isChanged = git("status", "--porcelain", "packages") !== ""
  return `${git("rev-parse", "--short", "HEAD")}${isChanged ? "-dirty" : ""}`
}

const line = (subject: string, result: Pick<Score, "equivalent" | "killed" | "run">): string =>
  `${subject}: ${result.killed} of ${result.run} noticed, ${result.equivalent} equivalent, ${percent(result).toFixed(1)} %`

const print = (report: Report): void => {
  const { gone, late, survivors } = score(report, equivalents)
  for (const mutant of gone) console.log(`${mutant} is listed as equivalent, and is not there`)
  for (const { file, line, lineNumber, name, original, replacement, status } of survivors) {
    console.log(`${file}:${lineNumber} ${name} (${status})\n    ${line}\n  - ${original}\n  + ${replacement}`)
  }
  for (const { file, lineNumber, mutator, original, replacement } of late) {
    console.log(`${file}:${lineNumber} ${mutator} (noticed by taking too long)\n  - ${original}\n  + ${replacement}`)
  }
}

/** Writes the score of a folder into the page, if all its files are judged. */
const write = (folder: string): void => {
  const { missing, score } = Kept.ofFolder(folder)
  if (missing.length > 0) {
    console.log(`${folder} has no score yet, without ${missing.join(", ")}`)
    return
  }
  writeFileSync(page, withScore(readFileSync(page, "utf8"), folder, score))
  console.log(line(`${page}: ${folder}`, score))
}

const natural = (option: "every" | "processes"): number => {
  const value = Number(values[option])
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${option} is a whole number >= 1, and not ${values[option]}`)
  return value
}

/** The names of files in each of some folders. */
type Chosen = ReadonlyMap<string, ReadonlyArray<string>>

/** Folders for which the same tests count are judged together. */
const judgeWith = async (tests: string, chosen: Chosen): Promise<void> => {
  const judged = [...chosen].filter(([folder]) => Folders.tests(folder) === tests)
  const paths = judged.flatMap(([folder, names]) => names.map((name) => join(Folders.path(folder, "src"), name)))
  const { files } = await Judge.run(tests, paths, {
    tests: values.tests.split(","),
    processes: natural("processes"),
    every: natural("every")
  })
  for (const [folder] of judged) {
    const own = Object.entries(files).filter(([path]) => dirname(path) === Folders.path(folder, "src"))
    conclude(folder, { files: Object.fromEntries(own) })
  }
}

/** Prints and keeps the scores of a folder. */
const conclude = (folder: string, report: Report): void => {
  const least = Folders.floors[folder] ?? 0
  print(report)
  const made = {
    date: new Date().toISOString().slice(0, 10),
    commit: commit()
  }
  for (const [path, file] of Object.entries(report.files)) {
    const ofFile = score({ files: { [path]: file } }, equivalents)
    console.log(line(path, ofFile))
    const { all, equivalent, killed, run } = ofFile
    Kept.keep(path, file.source, { all, run, killed, equivalent, ...made })
  }
  const result = score(report, equivalents)
  console.log(`${line(folder, result)}, at least ${least} %`)
  if (percent(result) < least || result.gone.length > 0) process.exitCode = 1
  if (values.write === true) write(folder)
}

const chosen = (): Chosen => {
  if (values.changed !== undefined) {
    return Folders.group(git("diff", "--name-only", `${values.changed}...HEAD`).split("\n"))
  }
  const [folder = "", ...names] = positionals
  const found = Folders.within(folder)
    .map((room) => [room, Folders.files(room).filter((name) => names.length === 0 || names.includes(name))] as const)
    .filter(([, files]) => files.length > 0)
  // A misspelt name would select no mutant, and the run would pass.
  const count = found.reduce((sum, [, files]) => sum + files.length, 0)
  if (count === 0 || count < names.length) throw new Error(`no such folder or file: ${positionals.join(" ")}`)
  return new Map(found)
}

if (values.stages === true) {
  console.log(JSON.stringify(Folders.stages()))
} else if (values.count === true) {
  writeFileSync(page, withCount(readFileSync(page, "utf8"), Count.table()))
} else {
  const files = chosen()
  for (const tests of new Set([...files.keys()].map(Folders.tests))) await judgeWith(tests, files)
}
