/**
 * Mutation tests of a folder: changes its code in small ways, one after the other, and runs the tests that reach each
 * change.
 *
 *     pnpm mutation http/decide            a folder of a package, with all tests of the package
 *     pnpm mutation http/decide Case.ts    one file of it, or several
 *     pnpm mutation plan                   a package without such folders: the files beside its index
 *     pnpm mutation http/decide --near     with the tests of the folder alone
 *     pnpm mutation http/decide --quick    the same within one process
 *     pnpm mutation http/decide Case.ts --quick --tests=Case,Other    the same with two files of tests
 *
 * Takes some seconds a mutant, and with `--quick` some minutes in all, the fewer the fewer tests are named; values that
 * are made once, such as the default of a service, then keep their first state, and count as not noticed. Prints the
 * mutants that no test noticed, and fails below the least score. The files of the folder are changed until it ends.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Stryker } from "@stryker-mutator/core"
import { equivalents } from "./Equivalents.ts"
import * as Quick from "./Quick.ts"
import { percent, type Report, type Score, score } from "./Score.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** In percent, of every folder. */
const least = 95

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"))
const [folder = "", ...files] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const [name = "", ...stages] = folder.split("/")
const stage = stages.join("/")
const isQuick = options.includes("--quick")
const isNear = isQuick || options.includes("--near")
const reports = join(
  "node_modules/.cache/mutation",
  [name, ...stages, ...files, ...options.map((option) => option.slice(2))].join("-")
)

process.chdir(root)
process.env["MUTATED_PACKAGE"] = name
process.env["MUTATED_STAGE"] = stage
process.env["MUTATED_TESTS"] = isNear ? stage : ""
process.env["MUTATED_TEST_FILES"] =
  options.find((option) => option.startsWith("--tests="))?.slice("--tests=".length) ?? "*"

const quickly = (): Promise<Report> =>
  Quick.run(
    join("packages", name, "src", stage),
    join("packages", name, "test", stage, "/"),
    `${reports}.states.json`,
    (path) => path !== "index.ts" && (files.length === 0 || files.includes(path))
  )

const thoroughly = async (): Promise<Report> => {
  await new Stryker({
    testRunner: "vitest",
    plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
    vitest: { configFile: "packages/tools/mutation/vitest.config.ts", related: false },
    mutate: [
      ...(files.length === 0 ? ["*.ts"] : files).map((file) => ["packages", name, "src", ...stages, file].join("/")),
      `!packages/${name}/src/index.ts`
    ],
    // A copy of the workspace would link to the packages as they are.
    inPlace: true,
    coverageAnalysis: "perTest",
    // What runs once at import can only be judged by loading everything anew.
    ignoreStatic: true,
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: `${reports}.json` },
    // A second run judges only what changed, and what survived.
    incremental: true,
    incrementalFile: `${reports}.incremental.json`,
    concurrency: Number(process.env["MUTATION_CONCURRENCY"] ?? 1),
    timeoutMS: 4000,
    disableTypeChecks: false,
    tempDirName: "node_modules/.cache/stryker",
    ignorePatterns: ["docs"],
    allowConsoleColors: false,
    allowEmpty: true
  }).runMutationTest()
  return JSON.parse(readFileSync(`${reports}.json`, "utf8")) as Report
}

const report = await (isQuick ? quickly() : thoroughly())

const line = (subject: string, result: Score): string => {
  const { equivalent, killed, late, run } = result
  return `${subject}: ${killed} of ${run} noticed (${late.length} by taking too long), ${equivalent} equivalent, ${percent(result).toFixed(1)} %`
}

const result = score(report, equivalents)
for (const { file, line, lineNumber, mutator, original, replacement, status } of result.survivors) {
  console.log(`${file}:${lineNumber} ${mutator} (${status})\n    ${line}\n  - ${original}\n  + ${replacement}`)
}
for (const { file, lineNumber, mutator, original, replacement } of result.late) {
  console.log(`${file}:${lineNumber} ${mutator} (Timeout)  - ${original}  + ${replacement}`)
}
for (const [path, file] of Object.entries(report.files)) {
  console.log(line(path, score({ files: { [path]: file } }, equivalents)))
}
console.log(line(folder, result))
// A misspelt folder has no mutants, and would be content.
if (result.run === 0 || percent(result) < least) process.exitCode = 1
