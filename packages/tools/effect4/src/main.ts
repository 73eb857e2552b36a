/**
 * Derives the line for Effect 4, checks its types, packs its packages, and runs its tests and programs.
 *
 *     pnpm effect4                 all packages that have one
 *     pnpm effect4 core            the sources of all, and the tests of one of them
 *     pnpm effect4 examples        the sources of all, and the programs of the pages
 *     pnpm effect4 demo --quick    the same, and the tests of the demo but the slow ones
 *     pnpm effect4 --sources       derives and checks the sources and programs alone
 *     pnpm effect4 --sources --write    writes what pages show of Effect 4
 */
import { execute } from "@effect-retry/check/Command"
import { type Finding, render } from "@effect-retry/check/Finding"
import { ownerOf, placeholder } from "@effect-retry/check/release/Owner"
import { exists, read, root, rootManifest } from "@effect-retry/check/Workspace"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { emit } from "./Emit.ts"
import { runExamples } from "./Examples.ts"
import { install } from "./Install.ts"
import { omissions } from "./names/omissions.ts"
import { slow } from "./names/tested.ts"
import {
  cache,
  derivedOf,
  type Package,
  packages,
  programsOf,
  testsOf,
  type Tool,
  tools,
  wholeLine
} from "./Packages.ts"
import { packAll } from "./Packed.ts"
import { pages, writePages } from "./PageFiles.ts"
import { show } from "./Pages.ts"
import { runTests } from "./Tests.ts"

/** Names by which parts are chosen: those of packages, and of tools without their folder. */
const nameOf = (part: Package | Tool): string => part.replace("tools/", "")

/** What pages show otherwise than it is derived; written there if asked to. */
const shownPages = (writes: boolean): ReadonlyArray<Finding> =>
  pages().flatMap((path) => {
    const text = read(path)
    const { findings, refreshed } = show({ path, text, three: textOf, four: derivedOf })
    if (!writes) return findings
    if (refreshed !== text) writeFileSync(join(root, path), refreshed)
    return []
  })

const textOf = (path: string): string | undefined => (exists(path) ? read(path) : undefined)

/** What is wrong with the packages as they would go to the registry; their types are checked before. */
const packed = (): ReadonlyArray<string> => {
  const target = mkdtempSync(join(tmpdir(), "effect-retry-effect4-"))
  try {
    return packAll({ target, owner: ownerOf(rootManifest()) ?? placeholder, isChecked: true })
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

/** The faults of the line for Effect 4, one text each. */
const failures = (
  chosen: ReadonlyArray<Package | Tool>,
  { isQuick, withTests, writes }: { readonly isQuick: boolean; readonly withTests: boolean; readonly writes: boolean }
): ReadonlyArray<string> => {
  install()
  const programs = tools.map((name) => ({ name, ...programsOf(name) }))
  const ofPackages = withTests ? packages.filter((name) => chosen.includes(name)).map(testsOf) : []
  const findings = emit(packages, wholeLine(ofPackages)).map(render)
  const shown = shownPages(writes).map(render)
  writePages()
  const types = execute("tsc", "-p", join(cache, "tsconfig.json"))
  const untyped = types.error ? [types.output] : []
  const found = [...findings, ...shown, ...untyped]
  if (found.length === 0 && withTests) found.push(...packed(), ...runExamples())
  if (found.length > 0 || !withTests) return found
  const tests = [...ofPackages, ...programs.filter(({ name }) => chosen.includes(name))]
  const run = tests.flatMap((of) => of.run).filter((file) => !isQuick || !slow.includes(file))
  const { failed, passed } = runTests(run)
  console.log(`${passed} tests of ${run.length} files pass on Effect 4`)
  const derived = new Set(tests.flatMap((of) => of.parts).map(({ target }) => target))
  const left = omissions.filter(({ file }) => derived.has(file)).flatMap(({ parts }) => parts)
  console.log(`${left.length} parts of these files cannot hold there`)
  console.log(`${tests.reduce((sum, { left }) => sum + left.length, 0)} files with tests or programs are not derived`)
  return failed
}

const main = (args: ReadonlyArray<string>): number => {
  const all = [...packages, ...tools]
  const named = args.filter((arg) => !arg.startsWith("--"))
  const unknown = named.filter((name) => !all.map(nameOf).includes(name))
  if (unknown.length > 0) {
    console.error(`no line for Effect 4: ${unknown.join(", ")}; there is one for ${all.map(nameOf).join(", ")}`)
    return 1
  }
  const chosen = all.filter((name) => named.length === 0 || named.includes(nameOf(name)))
  const found = failures(chosen, {
    isQuick: args.includes("--quick"),
    withTests: !args.includes("--sources"),
    writes: args.includes("--write")
  })
  for (const failure of found) console.error(failure)
  return found.length > 0 ? 1 : 0
}

process.exitCode = main(process.argv.slice(2))
