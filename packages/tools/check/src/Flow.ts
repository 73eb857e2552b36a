/**
 * The flow rule: the folders of a package's `src` are the stages of its data flow, their alphabetical order is the
 * order of the flow, and a file imports only its own stage and earlier ones. Files directly in `src` stand above all
 * stages: they import everything and no stage imports them.
 */
import { posix } from "node:path"
import type { Finding } from "./Finding.ts"
import { type Import, importsOf } from "./Imports.ts"
import type { Source } from "./Workspace.ts"

export interface FlowInput {
  /** The folder that holds the stages, such as `packages/core/src`. */
  readonly folder: string
  readonly name: string
  readonly sources: ReadonlyArray<Source>
  /** The packages it may import. */
  readonly dependencies: ReadonlyArray<string>
  readonly purity?: Purity | undefined
}

/** Stages of arithmetic and decisions, which must survive a change of the Effect version untouched. */
export interface Purity {
  readonly stages: ReadonlyArray<string>
  /** The modules of `effect` that pure files may use at run time. Types are free. */
  readonly modules: ReadonlyArray<string>
  /** Files inside pure stages that are allowed to touch the rest of `effect`, relative to `src`. */
  readonly thin: ReadonlyArray<string>
}

export const corePurity: Purity = {
  stages: ["accept", "classify", "decide"],
  modules: ["Data", "Duration", "Function", "Option", "Pipeable", "Predicate"],
  thin: ["decide/Backoff.ts"]
}

const vagueFolders = ["common", "helper", "helpers", "internal", "misc", "shared", "util", "utils"]

interface Parsed {
  /** Relative to `src`. */
  readonly path: string
  readonly stage: string | undefined
  readonly imports: ReadonlyArray<Import>
}

export const checkFlow = (input: FlowInput): ReadonlyArray<Finding> => {
  const files = input.sources.map(({ path, text }): Parsed => {
    const relative = posix.relative(input.folder, path)
    return { path: relative, stage: stageOf(relative), imports: importsOf(path, text) }
  })
  const findings = [
    ...files.flatMap(vagueFolder),
    ...files.flatMap((file) => file.imports.flatMap((entry) => direction(input, file, entry))),
    ...(input.purity === undefined ? [] : impurities(input.purity, files)),
    ...cycles(files)
  ]
  return findings.map((finding) => ({ ...finding, file: posix.join(input.folder, finding.file) }))
}

const stageOf = (path: string): string | undefined => (path.includes("/") ? path.split("/")[0] : undefined)

const isRelative = (specifier: string): boolean => specifier.startsWith(".")

const targetOf = (file: Parsed, specifier: string): string => posix.join(posix.dirname(file.path), specifier)

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

const vagueFolder = (file: Parsed): ReadonlyArray<Finding> =>
  file.path
    .split("/")
    .slice(0, -1)
    .filter((folder) => vagueFolders.includes(folder))
    .map((folder) => ({ file: file.path, line: 1, message: `folder "${folder}" says nothing about its content` }))

const direction = (input: FlowInput, file: Parsed, { line, specifier }: Import): ReadonlyArray<Finding> => {
  const object = (message: string) => [{ file: file.path, line, message }]
  if (!isRelative(specifier)) {
    const name = packageOf(specifier)
    if (name === input.name) return object(`imports its own package by name: use a relative path`)
    return input.dependencies.includes(name) ? [] : object(`imports "${name}", which the package does not depend on`)
  }
  const target = targetOf(file, specifier)
  if (target.startsWith("../")) return object(`imports "${specifier}" from outside of src`)
  if (file.stage === undefined) return []
  const stage = stageOf(target)
  if (stage === undefined) return object(`imports "${specifier}" from above the stages`)
  return stage > file.stage ? object(`stage "${file.stage}" imports the later stage "${stage}"`) : []
}

const impurities = (purity: Purity, files: ReadonlyArray<Parsed>): ReadonlyArray<Finding> => {
  const impureImports = (file: Parsed): ReadonlyArray<Finding> =>
    file.imports.flatMap(({ line, names, runtime, specifier }) => {
      if (!runtime || isRelative(specifier)) return []
      const modules = specifier === "effect" ? names : [specifier.replace(/^effect\//, "")]
      return modules
        .filter((module) => !purity.modules.includes(module))
        .map((module) => ({ file: file.path, line, message: `a pure file uses "${module}" of "${specifier}"` }))
    })
  const pureStage = (file: Parsed) => file.stage !== undefined && purity.stages.includes(file.stage)
  const strict = files.filter((file) => pureStage(file) && !purity.thin.includes(file.path)).flatMap(impureImports)
  // An exception nobody needs is a hole: the list may name only files that exist and use it.
  const idle = purity.thin
    .filter((path) => files.every((file) => file.path !== path || impureImports(file).length === 0))
    .map((file) => ({ file, line: 1, message: `is listed as a thin file, but is missing or pure` }))
  return [...strict, ...idle]
}

/** One finding per cycle of imports that remain at run time: such modules see each other half initialised. */
const cycles = (files: ReadonlyArray<Parsed>): ReadonlyArray<Finding> => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const findings: Array<Finding> = []
  const visit = (file: Parsed, trail: ReadonlyArray<string>): void => {
    if (done.has(file.path)) return
    const here = [...trail, file.path]
    for (const { line, runtime, specifier } of file.imports) {
      if (!runtime || !isRelative(specifier)) continue
      const target = targetOf(file, specifier)
      const start = here.indexOf(target)
      if (start >= 0) {
        const loop = [...here.slice(start), target].join(" > ")
        findings.push({ file: file.path, line, message: `closes an import cycle: ${loop}` })
      } else {
        const next = byPath.get(target)
        if (next !== undefined) visit(next, here)
      }
    }
    done.add(file.path)
  }
  for (const file of files) visit(file, [])
  return findings
}
