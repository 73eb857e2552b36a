/**
 * The packages that have a line for Effect 4, and where its parts are.
 */
import { dirname, join } from "node:path"
import { exists, filesBelow, read, root } from "@effect-retry/check/Workspace"
import { entries, notDerived, tested } from "./names/tested.ts"

/** In the order in which they depend on each other. */
export const packages = ["core", "plan", "testing", "http", "grpc", "google", "aws", "fleet"] as const

export type Package = (typeof packages)[number]

/**
 * The private packages that are derived too: the servers that tests and programs start, the programs of the pages, the
 * demo, tables of the benchmark, and what pages show beside other libraries.
 */
export const tools = ["tools/servers", "tools/examples", "tools/demo", "tools/benchmark", "tools/comparison"] as const

export type Tool = (typeof tools)[number]

export const isTool = (name: Package | Tool): name is Tool => name.startsWith("tools/")

/** Where the line is written to; nothing of it is committed. */
export const cache = join(root, "node_modules/.cache/effect4")

/** The text that is derived of a file of the repository; nothing if none is. */
export const derivedOf = (path: string): string | undefined => {
  const derived = join("node_modules/.cache/effect4", path)
  return exists(derived) ? read(derived) : undefined
}

/** Where the modules of Effect 4 are installed. */
export const installed = join(cache, "node_modules")

/** What the tests have beside Effect 4: the members of Effect 3 that they use and Effect 4 has in another shape. */
export const support = join(root, "packages/tools/effect4/support")

/** What stands in the place of a file that has another form on Effect 4. */
const perLine = "packages/tools/effect4/line"

/** One file of a package, by its path in the repository. */
export interface Part {
  /** Such as `core/src/loop/Retry.ts`. */
  readonly target: string
  /** The file that it is derived from, or that is taken as it is. */
  readonly source: string
  readonly isPerLine: boolean
}

const isCode = (path: string): boolean => path.endsWith(".ts")

const partsBelow = (name: Package | Tool, folder: string): ReadonlyArray<Part> => {
  const parts = new Map<string, Part>()
  for (const source of filesBelow(`packages/${name}/${folder}`)) {
    const target = source.slice("packages/".length)
    parts.set(target, { target, source, isPerLine: false })
  }
  for (const source of filesBelow(`${perLine}/${name}/${folder}`)) {
    const target = source.slice(perLine.length + 1)
    parts.set(target, { target, source, isPerLine: true })
  }
  return [...parts.values()].toSorted((a, b) => (a.target < b.target ? -1 : 1))
}

export const sourcesOf = (name: Package | Tool): ReadonlyArray<Part> => partsBelow(name, "src")

export interface Tests {
  /** What runs, with all that it imports. */
  readonly parts: ReadonlyArray<Part>
  readonly run: ReadonlyArray<string>
  /** Files with tests that are not derived. */
  readonly left: ReadonlyArray<string>
}

/** The tests of a package in the line for Effect 4. */
export const testsOf = (name: Package | Tool): Tests => {
  const own = partsBelow(name, "test")
  const files = own.map(({ target }) => target).filter((target) => target.endsWith(".test.ts"))
  const isTested = (file: string) => tested.some((path) => file === path || file.startsWith(`${path}/`))
  const run = files.filter((file) => isTested(file) && !(file in notDerived))
  return {
    parts: [...own.filter(({ target }) => !isCode(target)), ...importedBy(run)],
    run,
    left: files.filter((file) => !run.includes(file))
  }
}

/** What a file imports, and the programs that it starts. */
const named = /(?:from |new URL\()"([^"]+\.ts)"/g

/** Files of tests and of tools with all that they import of these: tests import what supports those of other packages too. */
const importedBy = (files: ReadonlyArray<string>): ReadonlyArray<Part> => {
  const all = new Map(
    [
      ...packages.flatMap((name) => partsBelow(name, "test")),
      ...tools.flatMap((name) => ["src", "programs", "test"].flatMap((folder) => partsBelow(name, folder)))
    ].map((part) => [part.target, part])
  )
  const needed = new Set<string>()
  const need = (target: string) => {
    const part = all.get(target)
    if (part === undefined || needed.has(target)) return
    needed.add(target)
    for (const [, path = ""] of read(part.source).matchAll(named)) need(join(dirname(target), path))
  }
  files.forEach(need)
  return [...all.values()].filter(({ target }) => isCode(target) && needed.has(target))
}

/** The programs of a tool, and the tests that run them. */
export const programsOf = (name: Tool): Tests => {
  const own = ["src", "programs"].flatMap((folder) => partsBelow(name, folder))
  const tests = partsBelow(name, "test")
  const { run } = testsOf(name)
  const others = [...own, ...tests].filter(({ target }) => !isCode(target))
  const only = entries.filter((entry) => entry.startsWith(`${name}/`))
  const files = only.length > 0 ? only : own.map(({ target }) => target).filter(isCode)
  return {
    parts: [...others, ...importedBy([...files.filter((target) => !(target in notDerived)), ...run])],
    run,
    left: [...files, ...tests.map(({ target }) => target)].filter((target) => target in notDerived)
  }
}

/** Files of tools, such as `packages/tools/examples/src/hello.ts`, with all that they import. */
export const partsFor = (paths: ReadonlyArray<string>): ReadonlyArray<Part> =>
  importedBy(paths.map((path) => path.slice("packages/".length)))

/** The sources of all packages and the programs of all tools, with what tests need: each part once. */
export const wholeLine = (tests: ReadonlyArray<Tests>): ReadonlyArray<Part> => {
  const parts = [...packages.flatMap(sourcesOf), ...[...tests, ...tools.map(programsOf)].flatMap(({ parts }) => parts)]
  return [...new Map(parts.map((part) => [part.target, part])).values()]
}

export const isSource = ({ source }: Part): boolean => isCode(source)

export const isTest = (target: string): boolean => target.includes("/test/")

export const manifestOf = (name: Package | Tool): string => read(`packages/${name}/package.json`)
