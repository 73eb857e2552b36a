/**
 * What modules of Effect 4 export, read from their declarations.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import ts from "typescript5"

/** The names that a module has, such as `effect/Effect`; nothing if there is no such module. */
export type Exports = (module: string) => ReadonlySet<string> | undefined

/** The exports of the modules of an `effect` and of its libraries beside it, by the folder in which it is installed. */
export const exportsOf = (folder: string): Exports => {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  return (module) => {
    if (!known.has(module)) known.set(module, readModule(pathIn(folder, module)))
    return known.get(module)
  }
}

/** The exports of the modules that the tests have beside those of Effect 4, such as `effect3/Effect3`. */
export const supportIn = (folder: string): Exports => {
  const known = new Map<string, ReadonlySet<string>>()
  for (const file of readdirSync(folder)) {
    known.set(`effect3/${basename(file, ".ts")}`, declaredIn(readFileSync(join(folder, file), "utf8")))
  }
  return (module) => known.get(module)
}

const pathIn = (folder: string, module: string): string => {
  const [, library = "", name = ""] = /^(@effect\/[^/]+|effect)\/(.*)$/.exec(module) ?? []
  return join(folder, library === "effect" ? "." : join("..", library), "dist", name)
}

const readModule = (path: string): ReadonlySet<string> | undefined => {
  const found = [`${path}.d.ts`, join(path, "index.d.ts")].find((file) => existsSync(file))
  return found === undefined ? undefined : declaredIn(readFileSync(found, "utf8"))
}

const declaredIn = (text: string): ReadonlySet<string> =>
  new Set(
    ts.createSourceFile("module.d.ts", text, ts.ScriptTarget.ES2022).statements.filter(isExported).flatMap(namesOf)
  )

const isExported = (statement: ts.Statement): boolean =>
  ts.isExportDeclaration(statement) ||
  (ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))

const namesOf = (statement: ts.Statement): ReadonlyArray<string> => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ""))
  }
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement
    if (exportClause === undefined) return []
    return ts.isNamedExports(exportClause)
      ? exportClause.elements.map(({ name }) => name.text)
      : [exportClause.name.text]
  }
  const { name } = statement as ts.Statement & { readonly name?: ts.Node }
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : []
}
