/**
 * `@category` stands on exactly what users can import: the docs are made from it, and elsewhere it is noise.
 *
 * Users import the modules of the exports map, except those under `unstable`, which are for sibling packages.
 */
import { parseSync, type Statement } from "oxc-parser"
import { declarationsOf, type PublicNamesInput } from "./PublicNames.ts"

/** Declarations that have a category and are not importable, or the other way round, as `path: name`. */
interface Misplaced {
  readonly hidden: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
}

/** Of several packages together, since a package exports modules of its siblings. */
export const misplaced = (
  inputs: ReadonlyArray<PublicNamesInput>,
  sources: ReadonlyArray<{ readonly path: string; readonly text: string }>
): Misplaced => {
  const importable = new Set(inputs.flatMap(importableOf))
  const categorised = new Set(sources.flatMap(({ path, text }) => categorisedIn(path, text)))
  return { hidden: without(categorised, importable), missing: without(importable, categorised) }
}

const without = (all: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlyArray<string> =>
  [...all].filter((name) => !others.has(name)).toSorted()

const importableOf = ({ folder, manifest, read, resolve }: PublicNamesInput): ReadonlyArray<string> =>
  Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const path = (target as Readonly<Record<string, string>>)["@effect-retry/source"]
    if (path === undefined || subpath.startsWith("./unstable/")) return []
    return declarationsOf(`${folder}/${path.slice(2)}`, read, resolve).map(({ name, path }) => `${path}: ${name}`)
  })

const categorisedIn = (path: string, text: string): ReadonlyArray<string> => {
  const { comments, program } = parseSync(path, text)
  const categorised = comments.filter(({ type, value }) => type === "Block" && value.includes("@category"))
  return program.body
    .filter(({ start }) => categorised.some(({ end }) => end < start && text.slice(end, start).trim() === ""))
    .flatMap((statement) => namesOf(statement).map((name) => `${path}: ${name}`))
}

const namesOf = (statement: Statement): ReadonlyArray<string> => {
  if (statement.type === "ExportNamedDeclaration") {
    const { declaration, specifiers } = statement
    if (declaration !== null) return namesOf(declaration)
    return specifiers.flatMap(({ local }) => (local.type === "Identifier" ? [local.name] : []))
  }
  if (statement.type === "VariableDeclaration") {
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
  }
  const id = "id" in statement ? statement.id : null
  return id?.type === "Identifier" ? [id.name] : []
}
