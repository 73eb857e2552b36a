/**
 * Services and references.
 */
import ts from "typescript5"
import { listed, memberOf, type Place, type Shape, typed } from "./Shape.ts"

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

const baseOfReference = (place: Place, node: ts.ClassDeclaration): ts.Expression | undefined => {
  const base = node.heritageClauses?.[0]?.types[0]?.expression
  if (base === undefined || !ts.isCallExpression(base) || !ts.isCallExpression(base.expression)) return undefined
  return memberOf(place, base.expression.expression) === "Context.Reference" ? base : undefined
}

/** A `Layer.Layer<X>` of a reference of the same file: what provides a reference of Effect 4 is no service. */
const layerOfReference =
  (place: Place): Shape =>
  (node) => {
    if (!ts.isTypeReferenceNode(node) || memberOf(place, node.typeName) !== "Layer.Layer") return undefined
    const [provided, ...rest] = node.typeArguments ?? []
    if (provided === undefined || rest.length > 0 || !ts.isTypeReferenceNode(provided)) return undefined
    const isProvided = (statement: ts.Statement) =>
      ts.isClassDeclaration(statement) &&
      statement.name?.text === provided.typeName.getText(place.file) &&
      baseOfReference(place, statement) !== undefined
    return place.file.statements.some(isProvided)
      ? `${place.naming.four(node.typeName, "effect/Layer", "Layer")}<never>`
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
    const base = baseOfReference(place, node)
    if (base === undefined) return undefined
    const modifiers = (node.modifiers ?? []).map(inner).join(" ")
    return `${modifiers}${modifiers === "" ? "" : " "}const ${node.name.text} = /*#__PURE__*/ ${inner(base)}`
  }

export const context = [tag, genericTag, tagType, layerOfReference, reference]
