/**
 * Services that are made with their class, and layers.
 */
import ts from "typescript5"
import { calls, memberOf, type Place, type Shape, typed } from "./Shape.ts"

const isOfService = (place: Place, node: ts.Node): node is ts.CallExpression & { expression: ts.CallExpression } =>
  ts.isCallExpression(node) &&
  ts.isCallExpression(node.expression) &&
  memberOf(place, node.expression.expression) === "Effect.Service"

/** `Effect.Service<X>()(id, { effect })` is `Context.Service<X>()(id, { make })`. */
const service =
  (place: Place): Shape =>
  (node, inner) => {
    if (!isOfService(place, node)) return undefined
    const [id, options] = node.arguments
    if (id === undefined || options === undefined || !ts.isObjectLiteralExpression(options)) return undefined
    const [field, ...more] = options.properties
    if (field === undefined || more.length > 0 || !ts.isPropertyAssignment(field)) return undefined
    if (!["effect", "scoped"].includes(field.name.getText(place.file))) return undefined
    const { expression: of } = node
    const name = place.naming.four(of.expression, "effect/Context", "Service")
    return `${name}${typed(of.typeArguments, inner)}()(${inner(id)}, { make: ${inner(field.initializer)} })`
  }

const isService = (place: Place, name: string): boolean => {
  const isClass = (statement: ts.Statement): statement is ts.ClassDeclaration =>
    ts.isClassDeclaration(statement) && statement.name?.text === name
  const base = place.file.statements.find(isClass)?.heritageClauses?.[0]?.types[0]?.expression
  return base !== undefined && isOfService(place, base)
}

/** A parameter of such a class is what the class names. */
const parameter =
  (place: Place): Shape =>
  (node) =>
    ts.isTypeReferenceNode(node) && ts.isParameter(node.parent) && isService(place, node.getText(place.file))
      ? `${node.getText(place.file)}["Service"]`
      : undefined

/** `X.Default` of such a class is made of what the class says. */
const defaultLayer =
  (place: Place): Shape =>
  (node) => {
    if (!ts.isPropertyAccessExpression(node) || node.name.text !== "Default" || !ts.isIdentifier(node.expression)) {
      return undefined
    }
    const { text } = node.expression
    return isService(place, text)
      ? `${place.naming.four(node.expression, "effect/Layer", "effect")}(${text}, ${text}.make)`
      : undefined
  }

/** `Layer.effect(X, make).pipe(Layer.retry(schedule))`: Effect 4 retries what makes the service. */
const retried =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
    const [retry, ...more] = node.arguments
    const { expression: layer, name } = node.expression
    if (name.text !== "pipe" || more.length > 0 || retry === undefined) return undefined
    if (!ts.isCallExpression(retry) || memberOf(place, retry.expression) !== "Layer.retry") return undefined
    if (!ts.isCallExpression(layer) || memberOf(place, layer.expression) !== "Layer.effect") return undefined
    const [tag, make] = layer.arguments
    const [schedule] = retry.arguments
    if (tag === undefined || make === undefined || schedule === undefined) return undefined
    const retrying = `${place.naming.four(retry.expression, "effect/Effect", "retry")}(${inner(make)}, ${inner(schedule)})`
    return `${inner(layer.expression)}(${inner(tag)}, ${retrying})`
  }

const scopes = calls({
  // A scope of Effect 4 closes in sequence if nothing else is said.
  "Scope.fork": ({ four, inner, node, place }) => {
    const [scope, strategy] = node.arguments
    return scope !== undefined && strategy !== undefined && memberOf(place, strategy) === "ExecutionStrategy.sequential"
      ? `${four("Scope.fork")}(${inner(scope)})`
      : undefined
  }
})

export const services = [service, parameter, defaultLayer, retried, scopes]
