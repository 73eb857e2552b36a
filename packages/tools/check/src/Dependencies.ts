/** What a published package imports by name is among its dependencies: nothing else is installed beside it. */
import { parseSync } from "oxc-parser"
import { type Finding, lineAt } from "./Finding.ts"
import type { Manifest, Source } from "./Workspace.ts"

interface DependenciesInput {
  readonly manifest: Manifest
  readonly sources: ReadonlyArray<Source>
}

export const checkDependencies = ({ manifest, sources }: DependenciesInput): ReadonlyArray<Finding> => {
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  return sources.flatMap(({ path, text }) =>
    importsOf(path, text)
      .filter(({ specifier }) => !specifier.startsWith(".") && !declared.includes(packageOf(specifier)))
      .map(({ offset, specifier }) => ({
        file: path,
        line: lineAt(text, offset),
        message: `imports "${specifier}", which ${manifest.name} does not depend on`
      }))
  )
}

/** Imports and re-exports. Throws when the text does not parse. */
const importsOf = (path: string, text: string) => {
  const { errors, module } = parseSync(path, text)
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`)
  const reexports = module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest))
  const named = [...module.staticImports.map(({ moduleRequest }) => moduleRequest), ...reexports]
    .filter((request) => request !== null)
    .map(({ start, value }) => ({ offset: start, specifier: value }))
  const dynamic = module.dynamicImports.map(({ moduleRequest: { end, start } }) => ({
    offset: start,
    specifier: text.slice(start, end).replaceAll(/^["'`]|["'`]$/g, "")
  }))
  return [...named, ...dynamic].toSorted((a, b) => a.offset - b.offset)
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
