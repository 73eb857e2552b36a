/**
 * The names that a derived source writes, and what it imports for them.
 */
import ts from "typescript5"
import * as Imports from "./Imports.ts"
import type { Exports } from "./Line4.ts"
import { changed, members } from "./names/members.ts"
import { modules } from "./names/modules.ts"
import { indexes } from "./Origin.ts"
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
  readonly imports: () => ReadonlyArray<string>
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
  const imports = Imports.make(file.statements.some(importsIndex))
  const taken = topLevelNames(file)

  const use = (node: ts.Node, module: string, local: string): string => {
    if (taken.has(local)) refuse(node, `declares ${local}, which is the name of ${module}`)
    return imports.use({ module, local, isValue: !isType(node) })
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
      return imports.use({ ...target, local: local === member ? target.member : local, isValue: !isType(node) })
    },
    four: (node, module, member) => `${use(node, module, baseOf(module))}.${member}`,
    imports: imports.declarations
  }
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
