/**
 * Everything a change must pass besides the tests.
 *
 *     pnpm check                              all of it
 *     pnpm check lint snippets                only the named steps
 *     pnpm check exports snippets --write     write what these two can write
 */
import { randomPrograms } from "@effect-retry/site/RandomPrograms"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execute, run, runIn } from "./Command.ts"
import { checkDependencies } from "./Dependencies.ts"
import { docExamples, importing } from "./DocExamples.ts"
import { checkExports, type ExportsInput, writeExports } from "./Exports.ts"
import { render } from "./Finding.ts"
import { build, packAll } from "./release/Pack.ts"
import { ownerOf, placeholder } from "./release/Owner.ts"
import { checkSnippets, type SnippetsInput } from "./Snippets.ts"
import { checkTarball } from "./release/Tarball.ts"
import { readTarball, tarballsIn } from "./release/ReadTarball.ts"
import {
  exists,
  filesBelow,
  type Package,
  publishedPackages,
  read,
  root,
  rootManifest,
  sourcesBelow
} from "./Workspace.ts"

/** What went wrong, one text per failure; nothing when the step passes. */
type Step = () => ReadonlyArray<string>

const write = (path: string, text: string): void => writeFileSync(join(root, path), text)

const published = publishedPackages()

const types: Step = () => build("packages")

const effectFolder = "node_modules/.cache/effect-diagnostics"

/** The sources of all packages as one program, which takes a quarter of the time of a program for each. */
const effect: Step = () => {
  const project = `${effectFolder}/tsconfig.json`
  mkdirSync(join(root, effectFolder), { recursive: true })
  write(
    project,
    JSON.stringify({
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: { composite: false, declarationMap: false, noEmit: true, skipLibCheck: true },
      include: published.map(({ folder }) => join(root, folder, "src"))
    })
  )
  const { error, output } = execute("effect-tsgo", "diagnostics", "--project", project, "--strict", "--format", "text")
  const files = published.flatMap(({ folder }) => sourcesBelow(`${folder}/src`)).length
  // Without its entry in the compiler options it checks no file at all and passes.
  return error || !output.includes(`Checked ${files} files`) ? [`${project}\n${output}`] : []
}

const lint: Step = () => run("oxlint", "--deny-warnings", "--report-unused-disable-directives", "packages")

const format: Step = () => run("oxfmt", "--check", ".")

const dependencies: Step = () =>
  published
    .flatMap(({ folder, manifest }) => checkDependencies({ manifest, sources: sourcesBelow(`${folder}/src`) }))
    .map(render)

const exportsInput = ({ folder }: Package): ExportsInput => ({
  indexPath: `${folder}/src/index.ts`,
  index: read(`${folder}/src/index.ts`),
  manifestPath: `${folder}/package.json`,
  manifest: read(`${folder}/package.json`),
  has: (path) => exists(`${folder}/${path}`)
})

const exportsMaps: Step = () => published.map(exportsInput).flatMap(checkExports).map(render)

const writeExportsMaps: Step = () => {
  const inputs = published.map(exportsInput)
  for (const input of inputs) write(input.manifestPath, writeExports(input))
  return [...run("oxfmt", ...inputs.map(({ manifestPath }) => manifestPath)), ...exportsMaps()]
}

const snippetsInputs = (): ReadonlyArray<SnippetsInput> =>
  [
    "README.md",
    ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
    ...filesBelow("docs")
  ]
    .filter((path) => path.endsWith(".md") && exists(path))
    .map((path) => ({ path, text: read(path), example: (file) => (exists(file) ? read(file) : undefined) }))

const snippets: Step = () =>
  snippetsInputs()
    .flatMap((input) => checkSnippets(input).findings)
    .map(render)

const writeSnippets: Step = () => {
  for (const input of snippetsInputs()) write(input.path, checkSnippets(input).refreshed)
  return snippets()
}

/** Where an import of a package leads to the same sources as in the examples. */
const examplesFolder = "packages/tools/examples/node_modules/.cache/doc-examples"

/** Of the doc comments, which are compiled and run, and of the playground, which are compiled. */
const examples: Step = () => {
  const sources = published.flatMap(({ folder }) => sourcesBelow(`${folder}/src`)).map(docExamples)
  const found = sources.flatMap(({ examples }) => examples)
  rmSync(join(root, examplesFolder), { recursive: true, force: true })
  mkdirSync(join(root, examplesFolder), { recursive: true })
  const programs = randomPrograms(["effect", "promises", "fetch"])
  for (const { code, name } of [...found, ...programs]) write(`${examplesFolder}/${name}`, code)
  write(`${examplesFolder}/package.json`, JSON.stringify({ type: "module" }))
  write(`${examplesFolder}/run.mjs`, importing(found.map(({ name }) => name)))
  write(
    `${examplesFolder}/tsconfig.json`,
    JSON.stringify({
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: { composite: false, declarationMap: false, noEmit: true, skipLibCheck: true },
      files: [...found, ...programs].map(({ name }) => name)
    })
  )
  const findings = sources.flatMap(({ findings }) => findings).map(render)
  if (found.length === 0) return findings
  return [
    ...findings,
    ...run("tsc", "-p", examplesFolder),
    ...run("tsx", "--conditions=@effect-retry/source", `${examplesFolder}/run.mjs`)
  ]
}

/** Where the repository has no address yet, the links of a release are checked with another one. */
const owner = ownerOf(rootManifest()) ?? placeholder

const packaging: Step = () => {
  const target = mkdtempSync(join(tmpdir(), "effect-retry-release-"))
  try {
    const failures = packAll({ target, owner })
    const found = tarballsIn(target).flatMap((packaged) => [
      ...checkTarball(readTarball(packaged, owner)).map(render),
      ...run("publint", "run", packaged.tarball, "--strict")
    ])
    return [...failures, ...found]
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

const project = (name: string, ...options: ReadonlyArray<string>): ReadonlyArray<string> =>
  run("vitest", "run", "--config", "packages/tools/check/vitest.compiled.ts", "--project", name, ...options)

const tools: Step = () => project("tools")

const site: Step = () => project("site", "--maxWorkers=3")

const leaks: Step = () => project("leaks")

/** The sources for Effect 4, and all their tests and programs but the slow ones, which run by night. */
const effect4: Step = () => run("tsx", "packages/tools/effect4/src/main.ts", "--quick")

const checks: Readonly<Record<string, Step>> = {
  types,
  effect,
  lint,
  format,
  dependencies,
  exports: exportsMaps,
  snippets,
  examples,
  packaging,
  tools,
  site,
  leaks,
  effect4
}

const writers: Readonly<Record<string, Step>> = { exports: writeExportsMaps, snippets: writeSnippets }

/** A step that cannot read a file, because it is missing or does not parse, has failed too. */
const outcome = (step: Step): ReadonlyArray<string> => {
  try {
    return step()
  } catch (error) {
    return [String(error)]
  }
}

/** Runs steps, prints how each ended and how long it took, and answers how many failed. */
const runSteps = (steps: Readonly<Record<string, Step>>, names: ReadonlyArray<string>): number => {
  let failed = 0
  for (const name of names) {
    const step = steps[name]
    if (step === undefined) continue
    const start = performance.now()
    const failures = outcome(step)
    const seconds = ((performance.now() - start) / 1000).toFixed(0).padStart(4)
    console.log(`${failures.length === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)}${seconds} s`)
    for (const failure of failures) console.log(failure.replace(/^/gm, "    "))
    failed += failures.length === 0 ? 0 : 1
  }
  return failed
}

/**
 * The order of all steps: the first builds what the others read. Lists of a stage run beside each other, each in a
 * process of its own: one leaves a core idle at times, which the other uses.
 */
const stages: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> = [
  [["types"]],
  [["tools"], ["leaks"]],
  [["site"]],
  [["effect4"], ["effect", "lint", "format", "dependencies", "exports", "snippets", "examples", "packaging"]]
]

const runBeside = async (lists: ReadonlyArray<ReadonlyArray<string>>): Promise<number> => {
  const ran = await Promise.all(lists.map((names) => runIn({ folder: root }, "tsx", import.meta.filename, ...names)))
  for (const { error, output, stdout } of ran) process.stdout.write(error ? `${output}\n` : stdout)
  return ran.filter(({ error }) => error).length
}

const runAll = async (): Promise<number> => {
  const staged = stages.flat(2)
  const others = Object.keys(checks).filter((name) => !staged.includes(name))
  let failed = 0
  for (const lists of [...stages, [others]]) {
    const [alone = [], ...more] = lists
    failed += more.length === 0 ? runSteps(checks, alone) : await runBeside(lists)
  }
  return failed
}

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const steps = args.includes("--write") ? writers : checks
  const named = args.filter((arg) => arg !== "--write")
  const unknown = named.filter((name) => !Object.hasOwn(steps, name))
  if (unknown.length > 0) {
    console.error(`no such step: ${unknown.join(", ")}; there are ${Object.keys(steps).join(", ")}`)
    return 1
  }
  const names = Object.keys(steps).filter((name) => named.length === 0 || named.includes(name))
  const failed = args.length === 0 ? await runAll() : runSteps(steps, names)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
