/**
 * Runs the derived tests on a Node and a vitest that take Effect 4.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { node } from "./Install.ts"
import { cache, installed } from "./Packages.ts"

interface Outcome {
  readonly passed: number
  /** Tests that failed, and files that did not load, each with the first line of its message. */
  readonly failed: ReadonlyArray<string>
}

interface Reported {
  readonly numPassedTests: number
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly status: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

const report = join(cache, "report.json")

/** Runs test files of the cache, such as `core/test/decide/Backoff.test.ts`. */
export const runTests = (files: ReadonlyArray<string>): Outcome => {
  rmSync(report, { force: true })
  const { stderr } = spawnSync(
    node(),
    [
      join(installed, "vitest/vitest.mjs"),
      "run",
      "--config=vitest.config.ts",
      "--reporter=json",
      `--outputFile=${report}`,
      ...files.map((file) => `packages/${file}`)
    ],
    { cwd: cache, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] }
  )
  try {
    return outcomeOf(JSON.parse(readFileSync(report, "utf8")) as Reported)
  } catch {
    return { passed: 0, failed: [`the tests did not run\n${stderr}`] }
  }
}

const firstLine = (message = ""): string => message.split("\n")[0] ?? ""

/** What a report says. */
export const outcomeOf = ({ numPassedTests, testResults }: Reported): Outcome => ({
  passed: numPassedTests,
  failed: testResults.flatMap(({ assertionResults, message, name, status }) => {
    const failed = assertionResults.filter((test) => test.status === "failed")
    const texts = failed.map(({ failureMessages, fullName }) => `${fullName}: ${firstLine(failureMessages[0])}`)
    const all = texts.length === 0 && status === "failed" ? [firstLine(message)] : texts
    return all.map((text) => `${name.slice(name.indexOf("/packages/") + "/packages/".length)} ${text}`)
  })
})
