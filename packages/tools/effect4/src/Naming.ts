/**
 * The names that a derived source writes, and what it imports for them.
 */
import ts from "typescript5"
import * as Imports from "./Imports.ts"
import type { Exports } from "./Line4.ts"
import { changed, members } from "./names/members.ts"
import { modules } from "./names/modules.ts"
import { indexes, isEffectImport } from "./Origin.ts"
import { isType } from "./Syntax.ts"

/** The names of modules and members of Effect 4, as a file writes them. */
export interface Naming {
  /** A module of Effect 3 as a whole, which the file calls `local`. */
  readonly module: (node: ts.Node, module: string, local: string) => string
  /** A member of a module, with the name of the module before it. */
  readonly member: (node: ts.Node, module: string, member: string, local?: string) => string | undefined
  /** A member that the file imports by its own name. */
  readonly alone: (node: ts.Node, module: string, member: string, local: string) => string | undefined
  /** A member of a module of Effect 4. */
  readonly four: (node: ts.Node, module: string, member: string) => string
  /** What stands in the place of an import of Effect 3. */
  readonly imports: (statement: ts.Statement) => ReadonlyArray<string>
}

interface Target {
  readonly module: string
  readonly member: string
}

/** The names of one file; `refuse` hears of what Effect 4 does not have. */
export const make = (
  file: ts.SourceFile,
  exports: Exports,
  refuse: (node: ts.Node, message: string) => void
): Naming => {
  const imports = placesOf(file)
  const taken = topLevelNames(file)

  const use = (node: ts.Node, module: string, local: string): string => {
    if (!file.statements.some(isEffectImport)) refuse(node, "uses a module of effect without an import of any")
    if (taken.has(local)) refuse(node, `declares ${local}, which is the name of ${module}`)
    return imports.use(node, { module, local, isValue: !isType(node) })
  }

  const localOf = (module: string, four: string, local: string): string =>
    local === baseOf(module) ? baseOf(four) : local

  const targetOf = (node: ts.Node, module: string, member: string): Target | undefined => {
    const name = `${baseOf(module)}.${member}`
    const [four = "", elsewhere] = (members[baseOf(module)]?.[member] ?? member).split(".").toReversed()
    const target = elsewhere === undefined ? (modules[module] ?? module) : `effect/${elsewhere}`
    if (!/^@?effect/.test(target)) return { module: target, member: four }
    const support = `effect3/${baseOf(module)}3`
    if (changed.has(name) && exports(support) !== undefined) return { module: support, member }
    const known = exports(target)
    if (known?.has(four) === true) return { module: target, member: four }
    if (exports(support)?.has(member) === true) return { module: support, member }
    return (
      refuse(node, known === undefined ? `Effect 4 has no module for ${name}` : `Effect 4 has no ${name}`), undefined
    )
  }

  return {
    module: (node, module, local) => {
      const four = modules[module] ?? module
      return use(node, four, localOf(module, four, local))
    },
    member: (node, module, member, local = baseOf(module)) => {
      const target = targetOf(node, module, member)
      if (target === undefined) return undefined
      const isMoved = target.module !== (modules[module] ?? module)
      return `${use(node, target.module, isMoved ? baseOf(target.module) : localOf(module, target.module, local))}.${target.member}`
    },
    alone: (node, module, member, local) => {
      const target = targetOf(node, module, member)
      if (target === undefined) return undefined
      return imports.use(node, { ...target, local: local === member ? target.member : local, isValue: !isType(node) })
    },
    four: (node, module, member) => `${use(node, module, baseOf(module))}.${member}`,
    imports: imports.declarations
  }
}

interface Places {
  readonly use: (node: ts.Node, used: Imports.Used) => string
  readonly declarations: (statement: ts.Statement) => ReadonlyArray<string>
}

/**
 * All imports come in the place of the first one, or, in a file of which pages show parts, each in the place of that
 * which it is derived from.
 */
const placesOf = (file: ts.SourceFile): Places => {
  const isIndexed = file.statements.some(importsIndex)
  const statements = file.statements.filter(isEffectImport)
  const apart = file.text.includes("// #region")
  const places = new Map(
    statements.slice(0, apart ? undefined : 1).map((statement) => [statement, Imports.make(isIndexed)])
  )
  const [first = Imports.make(isIndexed)] = places.values()
  const known = new Map<string, Imports.Imports>()
  const declaring = (name: string) => places.get(statements.find((statement) => localsOf(statement).includes(name))!)
  return {
    use: (node, used) => {
      const key = `${used.module} ${used.member ?? "*"} ${used.local}`
      const place = known.get(key) ?? declaring(used.local) ?? declaring(rootOf(node)) ?? first
      known.set(key, place)
      return place.use(used)
    },
    declarations: (statement) => places.get(statement as ts.ImportDeclaration)?.declarations() ?? []
  }
}

const localsOf = ({ importClause }: ts.ImportDeclaration): ReadonlyArray<string> => {
  const bindings = importClause?.namedBindings
  if (bindings === undefined) return []
  return (ts.isNamespaceImport(bindings) ? [bindings] : bindings.elements).map(({ name }) => name.text)
}

/** The first name in `Effect.clock` and the like. */
const rootOf = (node: ts.Node): string => {
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootOf(node.expression)
  return ts.isQualifiedName(node) ? rootOf(node.left) : node.getText()
}

const baseOf = (module: string): string =>
  module === "fast-check" ? "FastCheck" : module.slice(module.lastIndexOf("/") + 1)

const importsIndex = (statement: ts.Statement): boolean =>
  ts.isImportDeclaration(statement) &&
  ts.isStringLiteral(statement.moduleSpecifier) &&
  indexes.includes(statement.moduleSpecifier.text)

/** What a file declares itself, without its imports. */
const topLevelNames = (file: ts.SourceFile): ReadonlySet<string> =>
  new Set(
    file.statements.flatMap((statement) => {
      if (ts.isVariableStatement(statement)) {
        return statement.declarationList.declarations.map(({ name }) => name.getText(file))
      }
      const { name } = statement as ts.Statement & { readonly name?: ts.Node }
      return name === undefined ? [] : [name.getText(file)]
    })
  )
