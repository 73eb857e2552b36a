/**
 * One source of Effect 3 as a source of Effect 4.
 */
import { type Finding, lineAt } from "@effect-retry/check/Finding"
import ts from "typescript5"
import type { Exports } from "./Line4.ts"
import { methods } from "./names/members.ts"
import * as Naming from "./Naming.ts"
import { isEffectImport, type Names, written } from "./Origin.ts"
import { omitting } from "./Omissions.ts"
import { printer } from "./Print.ts"
import { shapes } from "./Shapes.ts"
import { reword } from "./Words.ts"

export interface Input {
  /** As findings show it. */
  readonly path: string
  readonly file: ts.SourceFile
  readonly names: Names
  readonly exports: Exports
  /** Titles of tests, and names of declarations, that are left out. */
  readonly omitted?: ReadonlyArray<string>
  /** Expressions that have another value, and what stands in their place. */
  readonly replaced?: ReadonlyArray<readonly [three: string, four: string]>
}

export interface Derived {
  readonly text: string
  readonly findings: ReadonlyArray<Finding>
}

export const derive = ({ exports, file, names, omitted = [], path, replaced = [] }: Input): Derived => {
  const findings: Array<Finding> = []
  const refuse = (node: ts.Node, message: string) => {
    findings.push({ file: path, line: lineAt(file.text, node.getStart(file)), message })
  }
  const naming = Naming.make(file, exports, refuse)
  const shape = shapes({ file, names, naming, refuse })
  const places: Array<ts.ImportDeclaration> = []
  const { isOmitted, missing } = omitting(omitted)
  const replacements = new Map(replaced)
  const met = new Set<string>()
  const replacement = (node: ts.Node): string | undefined => {
    if (replacements.size === 0 || !ts.isExpression(node)) return undefined
    const code = node.getText(file)
    if (replacements.has(code)) met.add(code)
    return replacements.get(code)
  }
  const comment = (text: string) =>
    reword(text, (code) => {
      const block = ts.createSourceFile("block.ts", code, ts.ScriptTarget.ES2022, true)
      const derived = derive({ path, file: block, names: written(block), exports })
      findings.push(...derived.findings)
      return derived.text
    })

  const print = printer(
    file,
    (node, inner) => {
      if (ts.isImportDeclaration(node)) {
        if (!isEffectImport(node)) return undefined
        places.push(node)
        return placeOf(places.length - 1)
      }
      if (ts.isStatement(node) && isOmitted(node)) return ""
      if (ts.isArrayLiteralExpression(node) && node.elements.some(isOmitted)) {
        return `[${node.elements
          .filter((row) => !isOmitted(row))
          .map(inner)
          .join(", ")}]`
      }
      const other = replacement(node)
      if (other !== undefined) return other
      if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateLiteralToken(node)) {
        return reword(node.getText(file))
      }
      return shape(node, inner) ?? renamedMember(node, inner, { file, names, naming }) ?? renamed(node, names, naming)
    },
    comment
  )

  const body = print(file)
  for (const part of missing()) refuse(file, `has no ${JSON.stringify(part)} to leave out`)
  for (const code of replacements.keys()) if (!met.has(code)) refuse(file, `has no ${code} to replace`)
  const text = places.reduce((text, statement, index) => {
    const imports = naming.imports(statement).join("\n")
    return text.replace(imports === "" ? `${placeOf(index)}\n` : placeOf(index), () => imports)
  }, body)
  return { text, findings }
}

const placeOf = (index: number): string => `\u0000imports ${index}\u0000`

const methodNames = new Set(Object.keys(methods).map((method) => method.slice(method.lastIndexOf(".") + 1)))

/** Names that only Effect has: they are renamed even if an object declares them. */
const onlyNames = new Set(["unsafeCurrentTimeMillis", "unsafeCurrentTimeNanos"])

const methodCalled = (name: string): string | undefined =>
  Object.entries(methods).find(([method]) => method.endsWith(`.${name}`))?.[1]

interface Named extends Pick<Input, "file" | "names"> {
  readonly naming: Naming.Naming
}

/** `Effect.fork`, `Context.Tag`, `latch.unsafeOpen`. */
const renamedMember = (node: ts.Node, inner: (node: ts.Node) => string, { file, names, naming }: Named) => {
  const isAccess = ts.isPropertyAccessExpression(node)
  if (!isAccess && !ts.isQualifiedName(node)) return undefined
  const [root, member] = isAccess ? [node.expression, node.name] : [node.left, node.right]
  const origin = ts.isIdentifier(root) ? names.origin(root) : undefined
  if (ts.isIdentifier(root) && origin?.module !== undefined && origin.member === undefined) {
    return naming.member(node, origin.module, member.text, root.text)
  }
  const method = methodNames.has(member.text) ? methods[names.method(member) ?? ""] : undefined
  return method === undefined ? undefined : `${inner(root)}${file.text.slice(root.end, member.getStart(file))}${method}`
}

/** A name that an import declares, alone. */
const renamed = (node: ts.Node, names: Names, naming: Naming.Naming): string | undefined => {
  if (!ts.isIdentifier(node)) return undefined
  const { parent } = node
  if (ts.isPropertyAssignment(parent) && parent.name === node && onlyNames.has(node.text))
    return methodCalled(node.text)
  if (ts.isShorthandPropertyAssignment(parent) && onlyNames.has(node.text))
    return `${methodCalled(node.text)}: ${node.text}`
  if (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node)
  )
    return undefined
  const origin = names.origin(node)
  if (origin === undefined) return undefined
  const { member, module } = origin
  const four =
    member === undefined ? naming.module(node, module, node.text) : naming.alone(node, module, member, node.text)
  return ts.isShorthandPropertyAssignment(parent) && four !== undefined && four !== node.text
    ? `${node.text}: ${four}`
    : four
}
