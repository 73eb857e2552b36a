/**
 * Mutation tests of a folder: changes its code in small ways, one after the other, and runs the tests that reach each
 * change.
 *
 *     pnpm mutation http/loop              a folder of a package
 *     pnpm mutation http/loop Fetch.ts     one file of it
 *     pnpm mutation http/loop --near       with the tests of the folder alone
 *
 * Takes about a second a mutant, and less with the tests of the folder alone, which may notice fewer. Prints the mutants
 * that no test noticed, and fails below the least score.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Stryker } from "@stryker-mutator/core"
import { equivalents } from "./Equivalent.ts"
import { percent, type Report, score } from "./Score.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** In percent, of every folder. */
const least = 95

const isNear = process.argv.includes("--near")
const [folder = "", file = "**/*.ts"] = process.argv.slice(2).filter((argument) => argument !== "--near")
const [name = "", ...stages] = folder.split("/")
const mutated = ["packages", name, "src", ...stages, file].join("/")
const report = [name, ...stages, ...(file === "**/*.ts" ? [] : [file]), ...(isNear ? ["near"] : [])].join("-")
const reports = join("node_modules/.cache/mutation", report)

process.chdir(root)
process.env["MUTATED_PACKAGE"] = name
process.env["MUTATED_STAGE"] = stages.join("/")
process.env["MUTATED_TESTS"] = isNear ? stages.join("/") : ""

await new Stryker({
  testRunner: "vitest",
  plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
  vitest: { configFile: "packages/tools/mutation/vitest.config.ts", related: false },
  mutate: [mutated, `!packages/${name}/src/index.ts`],
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

const result = score(JSON.parse(readFileSync(`${reports}.json`, "utf8")) as Report, equivalents)
for (const { file, line, lineNumber, mutator, original, replacement, status } of result.survivors) {
  console.log(`${file}:${lineNumber} ${mutator} (${status})\n    ${line}\n  - ${original}\n  + ${replacement}`)
}
console.log(
  `${folder}: ${result.killed} of ${result.run} noticed, ${result.equivalent} equivalent, ${percent(result).toFixed(1)} %`
)
if (percent(result) < least) process.exitCode = 1
