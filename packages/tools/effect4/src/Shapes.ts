/**
 * What has another shape in Effect 4 and can be written from what stands there.
 */
import ts from "typescript5"
import type { Naming } from "./Naming.ts"
import type { Names } from "./Origin.ts"

export interface Place {
  readonly file: ts.SourceFile
  readonly names: Names
  readonly naming: Naming
  readonly refuse: (node: ts.Node, message: string) => void
}

/** What a node becomes, where it has a shape that changes. */
export type Shape = (node: ts.Node, inner: (node: ts.Node) => string) => string | undefined

export const shapes = (place: Place): Shape => {
  const all = makers.map((make) => make(place))
  return (node, inner) => {
    for (const shape of all) {
      const text = shape(node, inner)
      if (text !== undefined) return text
    }
    return undefined
  }
}

/** Such as `Context.Tag`, where a node is a member of a module of Effect 3. */
const memberOf = ({ names }: Place, node: ts.Node): string | undefined => {
  if (!ts.isPropertyAccessExpression(node) && !ts.isQualifiedName(node)) return undefined
  const [root, member] = ts.isQualifiedName(node) ? [node.left, node.right] : [node.expression, node.name]
  const origin = ts.isIdentifier(root) ? names.origin(root) : undefined
  return origin === undefined || origin.member !== undefined
    ? undefined
    : `${origin.module.slice(origin.module.lastIndexOf("/") + 1)}.${member.text}`
}

type Inner = (node: ts.Node) => string

const listed = (nodes: ReadonlyArray<ts.Node> | undefined, inner: Inner): string => (nodes ?? []).map(inner).join(", ")

const typed = (nodes: ReadonlyArray<ts.Node> | undefined, inner: Inner): string =>
  nodes === undefined ? "" : `<${listed(nodes, inner)}>`

/** `Context.Tag("id")<X, S>()` is `Context.Service<X, S>()("id")`. */
const tag =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isCallExpression(node) || !ts.isCallExpression(node.expression)) return undefined
    const { expression: tag, arguments: id } = node.expression
    if (memberOf(place, tag) !== "Context.Tag") return undefined
    return `${place.naming.four(tag, "effect/Context", "Service")}${typed(node.typeArguments, inner)}()(${listed(id, inner)})`
  }

/** `Context.GenericTag<I, S>("id")` is `Context.Service<I, S>("id")`. */
const genericTag =
  (place: Place): Shape =>
  (node) =>
    memberOf(place, node) === "Context.GenericTag" ? place.naming.four(node, "effect/Context", "Service") : undefined

/** The type `Context.Tag` is `Context.Key`, and its types are those of a service. */
const tagType =
  (place: Place): Shape =>
  (node) => {
    if (ts.isQualifiedName(node) && memberOf(place, node.left) === "Context.Tag") {
      const name = node.right.text === "Service" ? "Shape" : node.right.text
      return `${place.naming.four(node, "effect/Context", "Service")}.${name}`
    }
    return ts.isQualifiedName(node) && memberOf(place, node) === "Context.Tag"
      ? place.naming.four(node, "effect/Context", "Key")
      : undefined
  }

/** A class of `Context.Reference<X>()(id, …)` is a constant, or a class of `Context.Reference(id, …)` where it has members. */
const reference =
  (place: Place): Shape =>
  (node, inner) => {
    if (ts.isCallExpression(node) && ts.isCallExpression(node.expression)) {
      const { expression: reference } = node.expression
      return memberOf(place, reference) === "Context.Reference"
        ? `${place.naming.four(reference, "effect/Context", "Reference")}(${listed(node.arguments, inner)})`
        : undefined
    }
    if (!ts.isClassDeclaration(node) || node.members.length > 0 || node.name === undefined) return undefined
    const base = node.heritageClauses?.[0]?.types[0]?.expression
    if (base === undefined || !ts.isCallExpression(base) || !ts.isCallExpression(base.expression)) return undefined
    if (memberOf(place, base.expression.expression) !== "Context.Reference") return undefined
    const modifiers = (node.modifiers ?? []).map(inner).join(" ")
    return `${modifiers}${modifiers === "" ? "" : " "}const ${node.name.text} = /*#__PURE__*/ ${inner(base)}`
  }

/** A `Schedule.Schedule` of Effect 4 says also with what it fails. */
const schedule =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isTypeReferenceNode(node) || memberOf(place, node.typeName) !== "Schedule.Schedule") return undefined
    const [output, input, services] = node.typeArguments ?? []
    if (services === undefined || input === undefined || output === undefined) return undefined
    const name = place.naming.four(node.typeName, "effect/Schedule", "Schedule")
    return `${name}<${inner(output)}, ${inner(input)}, ${services.kind === ts.SyntaxKind.AnyKeyword ? "any" : "never"}, ${inner(services)}>`
  }

/** `Effect.yieldNow()` is a value. */
const yieldNow =
  (place: Place): Shape =>
  (node) =>
    ts.isCallExpression(node) && memberOf(place, node.expression) === "Effect.yieldNow"
      ? place.naming.four(node.expression, "effect/Effect", "yieldNow")
      : undefined

/** A runtime is its context, and what runs an effect in one takes the effect apart. */
const running =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isCallExpression(node)) return undefined
    const name = memberOf(place, node.expression)
    if (name === "Effect.runtime") {
      return `${place.naming.four(node.expression, "effect/Effect", "context")}${typed(node.typeArguments, inner)}()`
    }
    if (name === undefined || !name.startsWith("Runtime.run")) return undefined
    const [runtime, ...rest] = node.arguments
    const run = place.naming.four(node.expression, "effect/Effect", `${name.slice("Runtime.".length)}With`)
    return `${run}(${listed(runtime === undefined ? [] : [runtime], inner)})${rest.length === 0 ? "" : `(${listed(rest, inner)})`}`
  }

const makers: ReadonlyArray<(place: Place) => Shape> = [
  tag,
  genericTag,
  tagType,
  reference,
  schedule,
  yieldNow,
  running
]
