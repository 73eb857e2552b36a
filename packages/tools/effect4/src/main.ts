/**
 * Derives the line for Effect 4, checks its types and runs its tests.
 *
 *     pnpm effect4                 all packages that have one
 *     pnpm effect4 core            the sources of all, and the tests of one of them
 *     pnpm effect4 --sources       derives and checks the sources alone
 */
import { execute } from "@effect-retry/check/Command"
import { render } from "@effect-retry/check/Finding"
import { join } from "node:path"
import { emit } from "./Emit.ts"
import { install } from "./Install.ts"
import { omissions } from "./names/omissions.ts"
import { cache, type Package, packages, sourcesOf, testsOf } from "./Packages.ts"
import { runTests } from "./Tests.ts"

/** The faults of the line for Effect 4, one text each. */
const failures = (names: ReadonlyArray<Package>, withTests: boolean): ReadonlyArray<string> => {
  install()
  const tests = withTests ? names.map(testsOf) : []
  const findings = emit(packages, [...packages.flatMap(sourcesOf), ...tests.flatMap(({ parts }) => parts)]).map(render)
  const types = execute("tsc", "-p", join(cache, "tsconfig.json"))
  const untyped = types.error ? [types.output] : []
  if (findings.length + untyped.length > 0 || !withTests) return [...findings, ...untyped]
  const run = tests.flatMap((of) => of.run)
  const { failed, passed } = runTests(run)
  console.log(`${passed} tests of ${run.length} files pass on Effect 4`)
  console.log(`${omissions.reduce((sum, { parts }) => sum + parts.length, 0)} parts of these files cannot hold there`)
  console.log(`${tests.reduce((sum, { left }) => sum + left.length, 0)} files with tests are not derived yet`)
  return failed
}

const main = (args: ReadonlyArray<string>): number => {
  const named = args.filter((arg) => !arg.startsWith("--"))
  const unknown = named.filter((name) => !(packages as ReadonlyArray<string>).includes(name))
  if (unknown.length > 0) {
    console.error(`no line for Effect 4: ${unknown.join(", ")}; there is one for ${packages.join(", ")}`)
    return 1
  }
  const chosen = packages.filter((name) => named.length === 0 || named.includes(name))
  const found = failures(chosen, !args.includes("--sources"))
  for (const failure of found) console.error(failure)
  return found.length > 0 ? 1 : 0
}

process.exitCode = main(process.argv.slice(2))
