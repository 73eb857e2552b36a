/**
 * The parts of rules for shapes.
 */
import ts from "typescript5"
import type { Naming } from "../Naming.ts"
import type { Names } from "../Origin.ts"

export interface Place {
  readonly file: ts.SourceFile
  readonly names: Names
  readonly naming: Naming
  readonly refuse: (node: ts.Node, message: string) => void
}

type Inner = (node: ts.Node) => string

/** What a node becomes, if its shape changes. */
export type Shape = (node: ts.Node, inner: Inner) => string | undefined

/** Such as `Context.Tag`, if a node is a member of a module of Effect 3. */
export const memberOf = ({ names }: Place, node: ts.Node): string | undefined => {
  if (!ts.isPropertyAccessExpression(node) && !ts.isQualifiedName(node)) return undefined
  const [root, member] = ts.isQualifiedName(node) ? [node.left, node.right] : [node.expression, node.name]
  const origin = ts.isIdentifier(root) ? names.origin(root) : undefined
  return origin === undefined || origin.member !== undefined
    ? undefined
    : `${origin.module.slice(origin.module.lastIndexOf("/") + 1)}.${member.text}`
}

export interface Call {
  readonly node: ts.CallExpression
  /** Such as `Metric.set`. */
  readonly name: string
  /** The arguments, derived. */
  readonly args: ReadonlyArray<string>
  readonly place: Place
  readonly inner: Inner
  /** A member of a module of Effect 4, such as `Metric.update`. */
  readonly four: (member: string) => string
}

/** What calls of members become, each by its name. */
export const calls =
  (rules: Readonly<Record<string, (call: Call) => string | undefined>>) =>
  (place: Place): Shape =>
  (node, inner) => {
    const name = ts.isCallExpression(node) ? memberOf(place, node.expression) : undefined
    if (!ts.isCallExpression(node) || name === undefined || !Object.hasOwn(rules, name)) return undefined
    return rules[name]?.({
      node,
      name,
      get args() {
        return node.arguments.map(inner)
      },
      place,
      inner,
      four: (member) => {
        const [module = "", name = ""] = member.split(".")
        return place.naming.four(node.expression, `effect/${module}`, name)
      }
    })
  }

export const listed = (nodes: ReadonlyArray<ts.Node> | undefined, inner: Inner): string =>
  (nodes ?? []).map(inner).join(", ")

export const typed = (nodes: ReadonlyArray<ts.Node> | undefined, inner: Inner): string =>
  nodes === undefined ? "" : `<${listed(nodes, inner)}>`
