/**
 * What each package exports, module by module, as a text that a test compares: a name that comes, goes or becomes a type
 * shows in the diff of a change.
 */
import { parseSync } from "oxc-parser"
import type { Manifest } from "./Workspace.ts"

export interface Module {
  readonly name: string
  /** Whether the index exports it; the other modules are there for sibling packages, by their path. */
  readonly indexed: boolean
  readonly names: ReadonlyArray<string>
}

export interface PublicNamesInput {
  readonly folder: string
  readonly manifest: Manifest
  /** Text of a file of the repository. */
  readonly read: (path: string) => string
  /** The source of a module of a sibling package, such as `@effect-retry/plan/VirtualClock`. */
  readonly resolve: (specifier: string) => string
}

const source = "@effect-retry/source"

/** The modules in the order of the exports map. */
export const publicModules = ({ folder, manifest, read, resolve }: PublicNamesInput): ReadonlyArray<Module> => {
  const indexed = new Set(exportsOf(`${folder}/src/index.ts`, read, resolve).keys())
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const path = (target as Readonly<Record<string, string>>)[source]
    if (subpath === "." || path === undefined) return []
    const exported = exportsOf(`${folder}/${path.slice(2)}`, read, resolve)
    const names = [...exported].map(([name, kind]) => (kind === "value" ? name : `${name}: ${kind}`)).toSorted()
    return [{ name: subpath.slice(2), indexed: indexed.has(subpath.slice(2)), names }]
  })
}

/** One line per name, below its module. */
export const toText = (name: string, modules: ReadonlyArray<Module>): string => {
  const total = (indexed: boolean) => {
    const counted = modules.filter((module) => module.indexed === indexed)
    return `${counted.flatMap(({ names }) => names).length} names in ${counted.length} modules`
  }
  const lines = modules.flatMap(({ indexed, name, names }) => [
    "",
    `${name} (${names.length}${indexed ? "" : ", by its path only"})`,
    ...names.map((line) => `  ${line}`)
  ])
  const siblings = modules.every(({ indexed }) => indexed) ? "" : `; by their paths only, ${total(false)}`
  return [`${name}: ${total(true)}${siblings}`, ...lines, ""].join("\n")
}

type Kind = "value" | "type" | "value and type"

const exportsOf = (
  path: string,
  read: PublicNamesInput["read"],
  resolve: PublicNamesInput["resolve"]
): ReadonlyMap<string, Kind> => {
  const { errors, module } = parseSync(path, read(path))
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`)
  const found = new Map<string, Kind>()
  const add = (name: string, kind: Kind) => {
    const before = found.get(name)
    found.set(name, before === undefined || before === kind ? kind : "value and type")
  }
  for (const { exportName, isType, moduleRequest } of module.staticExports.flatMap(({ entries }) => entries)) {
    if (exportName.kind === "None" && moduleRequest !== null) {
      const target = targetOf(path, moduleRequest.value, resolve)
      for (const [name, kind] of exportsOf(target, read, resolve)) add(name, isType ? "type" : kind)
    } else {
      add(exportName.name ?? "default", isType ? "type" : "value")
    }
  }
  return found
}

interface Declaration {
  readonly path: string
  /** As it is called in its file. */
  readonly name: string
}

/** Where the names that a module exports are declared; of namespaces, all that they hold. */
export const declarationsOf = (
  path: string,
  read: PublicNamesInput["read"],
  resolve: PublicNamesInput["resolve"],
  only?: string
): ReadonlyArray<Declaration> => {
  const { module } = parseSync(path, read(path))
  const inside = (specifier: string, name?: string) =>
    declarationsOf(targetOf(path, specifier, resolve), read, resolve, name)
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .filter(({ exportName }) => exportName.kind === "None" || only === undefined || exportName.name === only)
    .flatMap(({ exportName, importName, localName, moduleRequest }) => {
      if (exportName.kind === "None" && moduleRequest !== null) return inside(moduleRequest.value, only)
      if (moduleRequest !== null) return inside(moduleRequest.value, importName.name ?? undefined)
      const imported = module.staticImports
        .flatMap(({ entries, moduleRequest }) => entries.map((entry) => ({ ...entry, from: moduleRequest.value })))
        .find((entry) => entry.localName.value === localName.name)
      return imported === undefined
        ? [{ path, name: localName.name ?? "default" }]
        : inside(imported.from, imported.importName.name ?? undefined)
    })
}

const targetOf = (path: string, specifier: string, resolve: PublicNamesInput["resolve"]): string =>
  specifier.startsWith(".") ? new URL(specifier, `file:///${path}`).pathname.slice(1) : resolve(specifier)
